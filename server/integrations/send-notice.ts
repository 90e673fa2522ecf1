import { createHmac } from 'node:crypto'
import { nowSeconds } from '../core/clock.ts'
import { MIB } from '../core/limits.ts'
import { apiErrors } from '../core/api-error.ts'
import type { Egress } from '../relay/upstream/safe-fetch.ts'
import type { Send } from '../relay/upstream/send.ts'
import { drawLetter } from './letter.ts'
import type { Mailer } from './mailer.ts'
import { letterOf, type Notice, webhookBodyOf } from './notice.ts'
import type { NoticeTarget } from './notice-target.ts'

const WEBHOOK_TIMEOUT_MS = 5000
/** A webhook's answer is only looked at for its status. */
const ANSWER_BYTES_MAX = MIB

const refuse = apiErrors('notice', {
  undelivered: { zh: '通知发送失败：{reason}', en: 'the notice could not be delivered: {reason}' },
})

/** What the options say about notices. */
export interface NoticeOptions {
  readonly systemName: string
  /** The worker that webhooks go through; undefined: they go directly. */
  readonly worker: { readonly url: string; readonly key: string } | undefined
}

interface NoticeParts {
  readonly mailer: Mailer
  readonly egress: Egress
  readonly send: Send
  readonly options: () => NoticeOptions
}

/** Delivers one notice. Throws a refusal when it does not arrive. */
export type SendNotice = (notice: Notice, target: NoticeTarget) => Promise<void>

export function openNotices(parts: NoticeParts): SendNotice {
  const { mailer, options } = parts
  return async (notice, target) => {
    if (target.kind === 'mail')
      return mailer.send(drawLetter(target.address, letterOf(notice), options().systemName))
    const body = webhookBodyOf(notice, nowSeconds())
    const call = { url: target.url, headers: headersOf(body, target.secret), body }
    const { worker } = options()
    const status = worker ? await throughWorker(call, worker, parts) : await directly(call, parts)
    if (status < 200 || status >= 300) throw refuse('undelivered', { reason: `HTTP ${status}` })
  }
}

interface WebhookCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The secret itself as the specification has it, and a signature for receivers that know the lineage's way. */
const headersOf = (body: string, secret: string): Record<string, string> => ({
  'content-type': 'application/json',
  ...(secret && {
    authorization: `Bearer ${secret}`,
    'x-webhook-signature': createHmac('sha256', secret).update(body).digest('hex'),
  }),
})

async function directly(call: WebhookCall, { egress }: NoticeParts): Promise<number> {
  const limits = { bytesMax: ANSWER_BYTES_MAX, timeoutMs: WEBHOOK_TIMEOUT_MS }
  const answer = await egress({ ...call, method: 'POST', ...limits })
  if (answer.kind === 'failure') throw refuse('undelivered', { reason: answer.reason })
  return answer.status
}

/** The worker is the administrator's: it may stand anywhere, and it is trusted with what it carries. */
async function throughWorker(
  { url, headers, body }: WebhookCall,
  worker: NonNullable<NoticeOptions['worker']>,
  { send }: NoticeParts,
): Promise<number> {
  const carried = { url, key: worker.key, method: 'POST', headers, body: JSON.parse(body) }
  const sent = await send(
    {
      method: 'POST',
      url: worker.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(carried),
    },
    { waiter: new AbortController(), headersTimeoutMs: WEBHOOK_TIMEOUT_MS, proxy: undefined },
  )
  if (sent.kind === 'failure') throw refuse('undelivered', { reason: sent.failure.message })
  const { status } = sent.response
  sent.response.cancel()
  return status
}
