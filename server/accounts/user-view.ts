import { fromCells } from '#contract/entities/stored.ts'
import type { User } from '#contract/entities/user.ts'
import { UserRecord } from '#contract/entities/user-fields.ts'
import { toIsoTime } from '../api/format.ts'
import type { Secrets } from '../core/crypto.ts'
import type { UserRow } from '../db/accounts/users.ts'
import { readUserSettings, readWebhookAddress } from '../notifications/send-notification.ts'

/**
 * The balance as people see it. While a request runs that the wallet may not cover, the free balance is below zero without
 * anything being owed.
 */
export const freeBalance = ({ quota, held_quota }: Pick<UserRow, 'quota' | 'held_quota'>): number =>
  Math.max(quota, Math.min(quota + held_quota, 0))

/** A user's own account. */
export const toSelf = (row: UserRow, secrets: Secrets): User => ({
  ...toUser(row),
  setting: toOwnSetting(row.setting, secrets),
})

/** An account as administrators see it. */
export const toUser = (row: UserRow): User => ({
  id: row.id,
  ...fromCells(UserRecord, row),
  password: '',
  access_token: null,
  quota: freeBalance(row),
  DeletedAt: toIsoTime(row.deleted_at),
  setting: toForeignSetting(row.setting),
})

function toOwnSetting(setting: string, secrets: Secrets): string {
  if (setting === '') return ''
  const { webhook_secret: _, webhook_url, ...shown } = readUserSettings(setting)
  return JSON.stringify({
    ...shown,
    ...(typeof webhook_url === 'string' && { webhook_url: readWebhookAddress(webhook_url, secrets) }),
  })
}

/** A webhook's address is often all that is needed to post to it. */
function toForeignSetting(setting: string): string {
  if (setting === '') return ''
  const { webhook_secret: _, webhook_url: __, ...shown } = readUserSettings(setting)
  return JSON.stringify(shown)
}
