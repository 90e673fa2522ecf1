import { z } from 'zod'
import type { NotificationSetting } from '#contract/accounts/account.ts'

/** The server's default threshold. */
const THRESHOLD_FALLBACK = 500_000

const StoredSetting = z.object({
  notify_type: z.enum(['email', 'webhook']).catch('email'),
  quota_warning_threshold: z.number().positive().catch(THRESHOLD_FALLBACK),
  notification_email: z.string().catch(''),
  webhook_url: z.string().catch(''),
})

/** Form values as typed. */
export interface NotificationValues {
  readonly notifyType: 'email' | 'webhook'
  readonly quotaWarningThreshold: string
  readonly notificationEmail: string
  readonly webhookUrl: string
  /** The server never sends the stored secret. */
  readonly webhookSecret: string
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Parses the `setting` of a user. Invalid JSON gives the defaults. */
export function parseNotificationValues(setting: string): NotificationValues {
  const found = StoredSetting.safeParse(parseJson(setting === '' ? '{}' : setting))
  const stored = found.success ? found.data : StoredSetting.parse({})
  return {
    notifyType: stored.notify_type,
    quotaWarningThreshold: String(stored.quota_warning_threshold),
    notificationEmail: stored.notification_email,
    webhookUrl: stored.webhook_url,
    webhookSecret: '',
  }
}

/** Converts the values to the request, with only the fields of the chosen channel. */
export const toNotificationSetting = (values: NotificationValues): NotificationSetting =>
  values.notifyType === 'email'
    ? {
        notify_type: 'email',
        quota_warning_threshold: Number(values.quotaWarningThreshold),
        notification_email: values.notificationEmail.trim(),
      }
    : {
        notify_type: 'webhook',
        quota_warning_threshold: Number(values.quotaWarningThreshold),
        webhook_url: values.webhookUrl.trim(),
        webhook_secret: values.webhookSecret,
      }
