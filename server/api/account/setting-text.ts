import { z } from 'zod'
import type { NotificationSetting } from '#contract/accounts/account.ts'
import type { Secrets } from '../../core/crypto.ts'

const StoredSetting = z.object({
  webhook_url: z.string().optional(),
  /** Sealed. */
  webhook_secret: z.string().optional(),
})

/** The text that is stored for a setting. A secret is sealed; one that is not sent again stays with its own address. */
export function settingText(setting: NotificationSetting, storedText: string, secrets: Secrets): string {
  if (setting.notify_type === 'email') return JSON.stringify(setting)
  const stored = StoredSetting.parse(storedText === '' ? {} : JSON.parse(storedText))
  const kept = stored.webhook_url === setting.webhook_url ? stored.webhook_secret : undefined
  const sealed = setting.webhook_secret ? secrets.encrypt(setting.webhook_secret) : kept
  const { webhook_secret: _, ...shown } = setting
  return JSON.stringify({ ...shown, ...(sealed && { webhook_secret: sealed }) })
}
