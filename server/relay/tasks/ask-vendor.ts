import { nowSeconds } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import type {
  AdapterResult,
  Failure,
  OperationAdapter,
} from '../../provider-kit/contract/operation-adapter.ts'
import { readAdapterFailure } from '../../provider-kit/failures.ts'
import { parseJson } from '../../provider-kit/json.ts'
import type { RelayContext } from '../relay-context.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import { readResponseText } from '../upstream/read-response.ts'
import { redactKey } from '../upstream/redact-key.ts'

export interface VendorQuestion<Body, Reply> {
  readonly exchange: OperationAdapter<Body, Reply>
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
): Promise<AdapterResult<Reply>> {
  const replied = await ask(question, gateway)
  return replied.kind === 'failure'
    ? { ...replied, failure: redactKey(replied.failure, question.channel.view.key) }
    : replied
}

async function ask<Body, Reply>(
  { exchange, channel, body, model, requestId, traceparent, timeoutMs, signal }: VendorQuestion<Body, Reply>,
  { send }: Pick<RelayContext, 'send'>,
): Promise<AdapterResult<Reply>> {
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
  const sent = await send(told, { signal, headersTimeoutMs: timeoutMs, proxy })
  if (sent.kind === 'failure') return sent
  try {
    const text = await readResponseText(sent, timeoutMs)
    const { ok, status, headers } = sent.response
    if (!ok) return { kind: 'failure', failure: readAdapterFailure(exchange, status, text, headers) }
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
