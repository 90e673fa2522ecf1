import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { parseJsonText } from '#contract/json-text.ts'
import { apiErrors } from '../core/api-error.ts'
import { nowSeconds } from '../core/clock.ts'
import type { Secrets } from '../core/crypto.ts'
import { type BothLanguages, type Language, textsOf } from '../core/language.ts'
import { MIB } from '../core/limits.ts'
import type { Logger } from '../core/logger.ts'
import type { UserRow } from '../db/accounts/users.ts'
import type { Database } from '../db/engine/database.ts'
import type { FetchWorker, SafeFetch } from '../http-client/safe-fetch.ts'
import type { Send } from '../http-client/send.ts'
import { type EmailTemplate, renderEmail } from './email-template.ts'
import type { Mailer } from './mailer.ts'

const WEBHOOK_TIMEOUT_MS = 5000
/** Only the status of a webhook's response is used. */
const RESPONSE_BYTES_MAX = MIB

const notificationError = apiErrors('notice', {
  undelivered: { zh: '通知发送失败：{reason}', en: 'the notification could not be delivered: {reason}' },
})

/** A message to a user, in both languages. */
export interface UserNotification {
  /** Identifies the kind of event for machines. */
  readonly type: string
  readonly subject: BothLanguages
  readonly text: BothLanguages
  readonly link?: { readonly text: BothLanguages; readonly url: string }
  /** The amounts and names in the text, in order. */
  readonly values: readonly string[]
}

export type NotificationTarget = {
  /** Both languages when the recipient has chosen none. */
  readonly language: Language | undefined
} & (
  | { readonly kind: 'mail'; readonly address: string }
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: string }
)

/** Delivers one notification. Throws notice.undelivered or a mail error. */
export type SendNotification = (notification: UserNotification, target: NotificationTarget) => Promise<void>

export interface NotifierDeps {
  readonly db: Database
  readonly secrets: Secrets
  readonly log: Logger
  readonly sendNotification: SendNotification
}

export type NotifiedAccount = Pick<UserRow, 'id' | 'kind' | 'display_name' | 'email' | 'setting'>

/** How an account is notified, which rejects when that reaches nobody. Undefined: there is no way. */
export type FindNotifier = (
  account: NotifiedAccount,
  deps: NotifierDeps,
) => Promise<((notification: UserNotification) => Promise<void>) | undefined>

export interface NotificationOptions {
  readonly systemName: string
  /** The administrator's worker that forwards webhooks; undefined when they are sent directly. */
  readonly worker: FetchWorker | undefined
}

interface NotificationDeps {
  readonly mailer: Mailer
  readonly safeFetch: SafeFetch
  readonly send: Send
  readonly options: () => NotificationOptions
}

export function createNotificationSender(deps: NotificationDeps): SendNotification {
  const { mailer, options } = deps
  return async (notification, target) => {
    if (target.kind === 'mail')
      return mailer.send(
        renderEmail(target.address, toEmailTemplate(notification, target), options().systemName),
      )
    const body = toWebhookBody(notification, target, nowSeconds())
    const webhook = { url: target.url, headers: webhookHeaders(body, target.secret), body }
    const { worker } = options()
    const status = worker ? await sendThroughWorker(webhook, worker, deps) : await sendDirectly(webhook, deps)
    if (status < 200 || status >= 300) throw notificationError('undelivered', { reason: `HTTP ${status}` })
  }
}

type Recipient = Pick<NotificationTarget, 'language'>

/** The texts that the recipient reads: one, or both. */
const textsFor = ({ language }: Recipient, { zh, en }: BothLanguages): readonly string[] =>
  language === undefined ? [zh, en] : [language === 'zh' ? zh : en]

const toEmailTemplate = ({ subject, text, link }: UserNotification, recipient: Recipient): EmailTemplate => ({
  subject: textsFor(recipient, subject).join(' / '),
  lines: textsFor(recipient, text),
  ...(link && { link: { text: textsFor(recipient, link.text).join(' / '), url: link.url } }),
})

const toWebhookBody = (
  { type, subject, text, values }: UserNotification,
  recipient: Recipient,
  atSeconds: number,
): string =>
  JSON.stringify({
    type,
    title: textsFor(recipient, subject).join(' / '),
    content: textsFor(recipient, text).join('\n'),
    values,
    timestamp: atSeconds,
  })

interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The secret as a bearer token, and a signature of the body for receivers that verify one. */
const webhookHeaders = (body: string, secret: string): Record<string, string> => ({
  'content-type': 'application/json',
  ...(secret && {
    authorization: `Bearer ${secret}`,
    'x-webhook-signature': createHmac('sha256', secret).update(body).digest('hex'),
  }),
})

async function sendDirectly(webhook: WebhookRequest, { safeFetch }: NotificationDeps): Promise<number> {
  const limits = { bytesMax: RESPONSE_BYTES_MAX, timeoutMs: WEBHOOK_TIMEOUT_MS }
  const result = await safeFetch({ ...webhook, method: 'POST', ...limits })
  if (result.kind === 'failure') throw notificationError('undelivered', { reason: result.reason })
  return result.status
}

/** The worker belongs to the administrator, so its address may be private and it may see the secret. */
async function sendThroughWorker(
  { url, headers, body }: WebhookRequest,
  worker: FetchWorker,
  { send }: NotificationDeps,
): Promise<number> {
  const forwarded = { url, key: worker.key, method: 'POST', headers, body: JSON.parse(body) }
  const sent = await send(
    {
      method: 'POST',
      url: worker.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(forwarded),
    },
    { signal: new AbortController().signal, headersTimeoutMs: WEBHOOK_TIMEOUT_MS, proxy: undefined },
  )
  if (sent.kind === 'failure') throw notificationError('undelivered', { reason: textsOf(sent.failure) })
  const { status } = sent.response
  sent.response.cancel()
  return status
}

/** Notification settings as stored with a user. Address and secret of a webhook are encrypted. */
const StoredSettings = z.object({
  notify_type: z.enum(['email', 'webhook']).catch('email'),
  quota_warning_threshold: z.number().optional().catch(undefined),
  notification_language: z.enum(['', 'zh', 'en']).catch(''),
  notification_email: z.string().catch(''),
  webhook_url: z.string().catch(''),
  webhook_secret: z.string().catch(''),
})

const AnySettings = z.record(z.string(), z.unknown()).catch({})

/** The stored settings of a user as they are; none where they cannot be read, so that one row spoils no list. */
export function readUserSettings(setting: string): Readonly<Record<string, unknown>> {
  const parsed = parseJsonText(setting || '{}')
  return AnySettings.parse(parsed.ok && parsed.value)
}

const READABLE_ADDRESS = /^(https?:|$)/

/** Addresses that earlier versions stored are not encrypted; they are from the next time that the settings are saved. */
export const readWebhookAddress = (stored: string, secrets: Secrets): string =>
  READABLE_ADDRESS.test(stored) ? stored : secrets.decrypt(stored)

export interface NotificationPreferences {
  /** Undefined for a user without an address. */
  readonly target: NotificationTarget | undefined
  /** Units below which a balance is low; the default of the options when undefined. */
  readonly threshold: number | undefined
}

/** Reads the notification preferences of a user. Without any, notifications go to the email address of the account. */
export function readNotificationPreferences(
  { setting, email }: { readonly setting: string; readonly email: string },
  secrets: Secrets,
): NotificationPreferences {
  const stored = StoredSettings.parse(readUserSettings(setting))
  const threshold = stored.quota_warning_threshold
  const language = stored.notification_language || undefined
  if (stored.notify_type === 'webhook') {
    const secret = stored.webhook_secret && secrets.decrypt(stored.webhook_secret)
    const url = readWebhookAddress(stored.webhook_url, secrets)
    return { target: { kind: 'webhook', url, secret, language }, threshold }
  }
  const address = stored.notification_email || email
  return { target: address === '' ? undefined : { kind: 'mail', address, language }, threshold }
}

/** As a user has chosen. */
export const notifierOfUser: FindNotifier = async (user, { secrets, sendNotification }) => {
  const { target } = readNotificationPreferences(user, secrets)
  return target && (notification => sendNotification(notification, target))
}
