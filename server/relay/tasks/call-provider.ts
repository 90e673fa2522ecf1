import { nowSeconds } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { ownMessage } from '../../core/language.ts'
import { readResponseText } from '../../http-client/read-response.ts'
import { connectionOwner } from '../../http-client/send.ts'
import type { AdapterResult, OperationAdapter } from '../../provider-kit/contract/operation-adapter.ts'
import { type Failure, readAdapterFailure } from '../../provider-kit/failures.ts'
import { parseJson } from '../../provider-kit/json.ts'
import { redactKey } from '../../provider-kit/redact-key.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import type { TaskDeps } from './platform.ts'

interface ProviderCall<Body, Reply> {
  readonly adapter: OperationAdapter<Body, Reply>
  readonly channel: RoutedChannel
  readonly body: Body
  readonly model: string
  readonly requestId: string
  /** Undefined when the provider does not receive the trace. */
  readonly traceparent?: string | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Makes one task call to a provider. Upstream errors are part of the result, not thrown. */
export async function callProvider<Body, Reply>(
  call: ProviderCall<Body, Reply>,
  deps: Pick<TaskDeps, 'send'>,
): Promise<AdapterResult<Reply>> {
  const result = await sendCall(call, deps)
  return result.kind === 'failure'
    ? { ...result, failure: redactKey(result.failure, call.channel.view.key) }
    : result
}

async function sendCall<Body, Reply>(
  { adapter, channel, body, model, requestId, traceparent, timeoutMs, signal }: ProviderCall<Body, Reply>,
  { send }: Pick<TaskDeps, 'send'>,
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
  const request = adapter.request(call)
  const traced = traceparent ? { ...request, headers: { ...request.headers, traceparent } } : request
  const sent = await send(traced, {
    signal,
    headersTimeoutMs: timeoutMs,
    proxy,
    owner: connectionOwner(channel.view),
  })
  if (sent.kind === 'failure') return sent
  try {
    const text = await readResponseText(sent, timeoutMs)
    const { ok, status, headers } = sent.response
    if (!ok) return { kind: 'failure', failure: readAdapterFailure(adapter, status, text, headers) }
    const json = parseJson(text)
    return json === undefined ? { kind: 'failure', failure: NOT_JSON } : adapter.reply(json, call)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const { status, code, message, messageZh } = error
    return { kind: 'failure', failure: { status, code, message, messageZh } }
  }
}

const NOT_JSON: Failure = {
  status: 502,
  code: 'upstream_bad_answer',
  ...ownMessage({ zh: '上游响应不是有效的 JSON', en: 'the upstream response is not valid JSON' }),
}
