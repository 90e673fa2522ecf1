import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { localizedError, MailAddress, QUOTA_MAX, QuotaUnits } from '../fields.ts'
import { Password, Username } from './users.ts'

const ADDRESS_LENGTH_MAX = 2048
const SECRET_LENGTH_MAX = 1024

export const Registration = z
  .object({
    username: Username,
    password: Password,
    /** The password once more; checked when it is sent. */
    password2: z.string().max(200).optional(),
    /** Needed, with the code that was mailed to it, when the options say so; not read otherwise. */
    email: z.union([z.literal(''), MailAddress]).optional(),
    verification_code: z.string().trim().max(200).optional(),
    /** The code of whoever invited them; an unknown one is as good as none. */
    aff_code: z.string().trim().max(200).optional(),
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
  summary: 'Makes an account with a password',
  query: z.object({ turnstile: z.string().max(4096).optional() }),
  body: Registration,
})

export const getInvitationCode = endpoint({
  method: 'GET',
  path: '/api/user/aff',
  role: 'user',
  summary: 'The own invitation code',
  reply: z.string(),
})

export const transferInvitationQuota = endpoint({
  method: 'POST',
  path: '/api/user/aff_transfer',
  role: 'user',
  summary: 'Moves invitation earnings into the wallet, one dollar at least',
  body: z.object({ quota: QuotaUnits }),
})

const WebhookAddress = z
  .string()
  .trim()
  .max(ADDRESS_LENGTH_MAX)
  .refine(isHttps, localizedError('Webhook 地址必须是 https 地址', 'a webhook is an https address'))

const threshold = z.number().positive().max(QUOTA_MAX)

/** How the owner of an account is told that the balance runs low. */
export const NotificationSetting = z.discriminatedUnion('notify_type', [
  z.object({
    notify_type: z.literal('email'),
    quota_warning_threshold: threshold,
    /** Empty: the address of the account. */
    notification_email: z.union([z.literal(''), MailAddress]).optional(),
  }),
  z.object({
    notify_type: z.literal('webhook'),
    quota_warning_threshold: threshold,
    webhook_url: WebhookAddress,
    /** Sent as bearer authorization. Empty keeps the one stored for the same address. */
    webhook_secret: z.string().max(SECRET_LENGTH_MAX).optional(),
  }),
])
export type NotificationSetting = z.infer<typeof NotificationSetting>

export const updateSetting = endpoint({
  method: 'PUT',
  path: '/api/user/setting',
  role: 'user',
  summary: 'Sets how and when the own low balance is told',
  body: NotificationSetting,
})

export const testSetting = endpoint({
  method: 'POST',
  path: '/api/user/setting/test',
  role: 'user',
  isCritical: true,
  summary: 'Sends a notice the way that is stored for the own account; a refusal says why it did not arrive',
})

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:'
}
