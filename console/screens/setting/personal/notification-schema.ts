import { z } from 'zod'
import type { NotificationSetting } from '#contract/accounts/account.ts'

/** The server's default where nobody has chosen. */
const THRESHOLD_FALLBACK = 500_000

const Stored = z.object({
  notify_type: z.enum(['email', 'webhook']).catch('email'),
  quota_warning_threshold: z.number().positive().catch(THRESHOLD_FALLBACK),
  notification_email: z.string().catch(''),
  webhook_url: z.string().catch(''),
})

/** What stands in the form, as it was typed. */
export interface NotificationValues {
  readonly type: 'email' | 'webhook'
  readonly threshold: string
  readonly email: string
  readonly url: string
  /** Never told by the server. */
  readonly secret: string
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Reads the `setting` of a user. */
export function notificationValues(setting: string): NotificationValues {
  const found = Stored.safeParse(parsed(setting === '' ? '{}' : setting))
  const stored = found.success ? found.data : Stored.parse({})
  return {
    type: stored.notify_type,
    threshold: String(stored.quota_warning_threshold),
    email: stored.notification_email,
    url: stored.webhook_url,
    secret: '',
  }
}

/** What the server is sent. */
export const noticeSettingOf = (values: NotificationValues): NotificationSetting =>
  values.type === 'email'
    ? {
        notify_type: 'email',
        quota_warning_threshold: Number(values.threshold),
        notification_email: values.email.trim(),
      }
    : {
        notify_type: 'webhook',
        quota_warning_threshold: Number(values.threshold),
        webhook_url: values.url.trim(),
        webhook_secret: values.secret,
      }
