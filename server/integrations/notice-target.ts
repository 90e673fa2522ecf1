import { z } from 'zod'
import type { Secrets } from '../core/crypto.ts'

/** Where notices to somebody go. */
export type NoticeTarget =
  | { readonly kind: 'mail'; readonly address: string }
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: string }

/** What is stored of how somebody wants to be told; the secret is sealed. */
const StoredSetting = z.object({
  notify_type: z.enum(['email', 'webhook']).default('email'),
  quota_warning_threshold: z.number().optional(),
  notification_email: z.string().default(''),
  webhook_url: z.string().default(''),
  webhook_secret: z.string().default(''),
})

export interface NoticeWish {
  /** Undefined when there is nowhere to write to. */
  readonly target: NoticeTarget | undefined
  /** Units below which a balance is low; undefined: what the options say. */
  readonly threshold: number | undefined
}

/** How a user wants to be told: without a setting by mail to the address of the account. */
export function noticeWishOf(
  { setting, email }: { readonly setting: string; readonly email: string },
  secrets: Secrets,
): NoticeWish {
  const stored = StoredSetting.parse(setting === '' ? {} : JSON.parse(setting))
  const threshold = stored.quota_warning_threshold
  if (stored.notify_type === 'webhook') {
    const secret = stored.webhook_secret && secrets.decrypt(stored.webhook_secret)
    return { target: { kind: 'webhook', url: stored.webhook_url, secret }, threshold }
  }
  const address = stored.notification_email || email
  return { target: address === '' ? undefined : { kind: 'mail', address }, threshold }
}
