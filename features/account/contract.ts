import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import { endpoint, ownRow } from '#contract/endpoint.ts'
import { CaptchaQuery, Password } from '#contract/entities/user.ts'
import { Username } from '#contract/entities/user-fields.ts'
import { EmailAddress, localizedError, QUOTA_MAX, QuotaUnits, textField } from '#contract/fields.ts'

const ADDRESS_LENGTH_MAX = 2048
const SECRET_LENGTH_MAX = 1024

export const Registration = z
  .object({
    username: Username.meta({ description: 'User name to sign in with, unique.', example: 'alice' }),
    password: Password.meta({
      format: 'password',
      description: 'Password of 8 to 20 characters.',
      example: 'correct-horse',
    }),
    password2: z.string().max(200).optional().meta({
      format: 'password',
      description: 'The password repeated. Checked only when present.',
      example: 'correct-horse',
    }),
    email: z
      .union([z.literal(''), EmailAddress])
      .optional()
      .meta({
        description: 'Email address. Required when `EmailVerificationEnabled` is on, ignored otherwise.',
        example: 'alice@example.com',
      }),
    verification_code: z.string().trim().max(200).optional().meta({
      format: 'password',
      description: 'The code that was sent to the email address. Required together with `email`.',
      example: '7K2P9Q',
    }),
    aff_code: z.string().trim().max(200).optional().meta({
      description: 'Invitation code of another user. An unknown code is ignored.',
      example: 'hJ4sK9dQ',
    }),
  })
  .refine(
    ({ password, password2 }) => password2 === undefined || password2 === password,
    localizedError('两次输入的密码不一致', 'the two passwords differ'),
  )
export type Registration = z.infer<typeof Registration>

export const register = endpoint({
  method: 'POST',
  path: '/api/user/register',
  role: 'visitor',
  isCritical: true,
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ({ body }) => ({ username: [body.username] }),
  summary: 'Register an account with a password',
  description: 'Grants the quota for new users, and the invitation rewards when an invitation code is given.',
  query: CaptchaQuery,
  body: Registration,
})

export const getInvitationCode = endpoint({
  method: 'GET',
  path: '/api/user/aff',
  role: 'user',
  summary: 'Get your invitation code',
  reply: textField('The invitation code.', 'hJ4sK9dQ'),
})

export const transferInvitationQuota = endpoint({
  method: 'POST',
  path: '/api/user/aff_transfer',
  role: 'user',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Transfer invitation rewards to your balance',
  description: 'The minimum is one dollar, that is the option `QuotaPerUnit`.',
  body: z.object({
    quota: QuotaUnits.meta({ description: 'Quota units to transfer.', example: 500_000 }),
  }),
})

const WebhookAddress = z
  .string()
  .trim()
  .max(ADDRESS_LENGTH_MAX)
  .refine(isHttps, localizedError('Webhook 地址必须是 https 地址', 'a webhook is an https address'))

const threshold = z.number().positive().max(QUOTA_MAX).meta({
  description: 'A notification is sent when the balance falls below this number of quota units.',
  example: 500_000,
})

const notificationLanguage = z.enum(['', 'zh', 'en']).optional().meta({
  description: 'Language of the notifications. Empty: Chinese and English.',
  example: 'en',
})

/** How the owner of an account is notified of a low balance. */
export const NotificationSetting = z.discriminatedUnion('notify_type', [
  z.object({
    notify_type: z.literal('email').meta({ description: 'Send notifications by email.' }),
    quota_warning_threshold: threshold,
    notification_language: notificationLanguage,
    notification_email: z
      .union([z.literal(''), EmailAddress])
      .optional()
      .meta({
        description: 'Recipient. Empty: the email address of the account.',
        example: 'ops@example.com',
      }),
  }),
  z.object({
    notify_type: z.literal('webhook').meta({ description: 'Send notifications to a webhook.' }),
    quota_warning_threshold: threshold,
    notification_language: notificationLanguage,
    webhook_url: WebhookAddress.meta({
      format: 'password',
      description: 'An https address that receives a POST request.',
      example: 'https://example.com/hooks/tollgate',
    }),
    webhook_secret: z.string().max(SECRET_LENGTH_MAX).optional().meta({
      format: 'password',
      description: 'Sent as a bearer token. Empty or absent: keeps the secret stored for the same address.',
      example: 's3cret',
    }),
  }),
])
export type NotificationSetting = z.infer<typeof NotificationSetting>

export const updateSetting = endpoint({
  method: 'PUT',
  path: '/api/user/setting',
  role: 'user',
  organization: 'admin',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Update your notification settings',
  body: NotificationSetting,
})

export const testSetting = endpoint({
  method: 'POST',
  path: '/api/user/setting/test',
  role: 'user',
  isCritical: true,
  summary: 'Send a test notification to yourself',
  description: 'Uses the stored settings. An error tells why the notification could not be delivered.',
})

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:'
}
