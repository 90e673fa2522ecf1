import type { User } from '#contract/entities/user.ts'
import { toIsoTime } from '../api/format.ts'
import type { Secrets } from '../core/crypto.ts'
import type { UserRow } from '../db/accounts/users.ts'
import { readWebhookAddress } from '../notifications/send-notification.ts'

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

/** An account as administrators see it. Maps a row field by field, so that a new column cannot leak. */
export const toUser = (row: UserRow): User => ({
  id: row.id,
  username: row.username,
  password: '',
  display_name: row.display_name,
  role: row.role,
  status: row.status,
  email: row.email,
  github_id: row.github_id,
  linux_do_id: row.linux_do_id,
  wechat_id: row.wechat_id,
  telegram_id: row.telegram_id,
  access_token: null,
  quota: freeBalance(row),
  used_quota: row.used_quota,
  request_count: row.request_count,
  group: row.group,
  aff_code: row.aff_code,
  aff_count: row.aff_count,
  aff_quota: row.aff_quota,
  aff_history_quota: row.aff_history_quota,
  inviter_id: row.inviter_id,
  DeletedAt: toIsoTime(row.deleted_at),
  setting: toForeignSetting(row.setting),
  must_change_password: row.must_change_password === 1,
})

function toOwnSetting(setting: string, secrets: Secrets): string {
  if (setting === '') return ''
  const { webhook_secret: _, webhook_url, ...shown } = JSON.parse(setting)
  return JSON.stringify({
    ...shown,
    ...(webhook_url !== undefined && { webhook_url: readWebhookAddress(webhook_url, secrets) }),
  })
}

/** Whoever knows the address of a webhook can often post there. */
function toForeignSetting(setting: string): string {
  if (setting === '') return ''
  const { webhook_secret: _, webhook_url: __, ...shown } = JSON.parse(setting)
  return JSON.stringify(shown)
}
