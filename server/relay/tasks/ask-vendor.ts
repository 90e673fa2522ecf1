import { nowSeconds } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Exchange, Replied } from '../../provider-kit/exchange.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import { parseJson } from '../../provider-kit/json.ts'
import { failureOf } from '../../provider-kit/read-failure.ts'
import type { RelayContext } from '../relay-context.ts'
import type { RoutedChannel } from '../routing/routed-channel.ts'
import { withoutKey } from '../upstream/redact-key.ts'
import { readAnswerText } from '../upstream/send.ts'

export interface VendorQuestion<Body, Reply> {
  readonly exchange: Exchange<Body, Reply>
  readonly channel: RoutedChannel
  readonly body: Body
  readonly model: string
  readonly requestId: string
  /** Undefined: the vendor is not told of a trace. */
  readonly traceparent?: string | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Asks a vendor about tasks and reads the answer. Never throws for the vendor's sake. */
export async function askVendor<Body, Reply>(
  question: VendorQuestion<Body, Reply>,
  gateway: Pick<RelayContext, 'send'>,
): Promise<Replied<Reply>> {
  const replied = await ask(question, gateway)
  return replied.kind === 'failure'
    ? { ...replied, failure: withoutKey(replied.failure, question.channel.view.key) }
    : replied
}

async function ask<Body, Reply>(
  { exchange, channel, body, model, requestId, traceparent, timeoutMs, signal }: VendorQuestion<Body, Reply>,
  { send }: Pick<RelayContext, 'send'>,
): Promise<Replied<Reply>> {
  const call = {
    channel: channel.view,
    model,
    body,
    isStream: false,
    requestId,
    nowSeconds: nowSeconds(),
  } as const
  const { proxy } = channel.view.setting
  const request = exchange.request(call)
  const told = traceparent ? { ...request, headers: { ...request.headers, traceparent } } : request
  const sent = await send(told, { waiter: { signal }, headersTimeoutMs: timeoutMs, proxy })
  if (sent.kind === 'failure') return sent
  try {
    const text = await readAnswerText(sent, timeoutMs)
    const { ok, status, headers } = sent.response
    if (!ok) return { kind: 'failure', failure: failureOf(exchange, status, text, headers) }
    const json = parseJson(text)
    return json === undefined ? { kind: 'failure', failure: notJson } : exchange.reply(json, call)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const { status, code, message } = error
    return { kind: 'failure', failure: { status, code, message } }
  }
}

const notJson: Failure = {
  status: 502,
  code: 'upstream_bad_answer',
  message: 'the upstream answered with something else than JSON',
}
