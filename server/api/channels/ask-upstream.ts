import { nowSeconds } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import type { ChannelView, ProviderIo } from '../../provider-kit/exchange.ts'
import { readAnswerText, type SentAnswer } from '../../relay/upstream/send.ts'
import type { ApiContext } from '../context.ts'

const HEADERS_TIMEOUT_MS = 30_000
export const ANSWER_TIMEOUT_MS = 60_000

type Context = Pick<ApiContext, 'send' | 'signal'>

/** Sends one call as the channel's settings say. Throws a GatewayError `upstream_failed` when nothing answers. */
export async function sendRequest(
  request: Parameters<Context['send']>[0],
  channel: ChannelView,
  { send, signal }: Context,
): Promise<SentAnswer> {
  const proxy = channel.setting.proxy || undefined
  const sent = await send(request, { waiter: { signal }, headersTimeoutMs: HEADERS_TIMEOUT_MS, proxy })
  if (sent.kind === 'failure') throw upstreamFailed(sent.failure.message)
  return sent
}

/** What a vendor's own small conversations go through. */
export const ioOf = (channel: ChannelView, context: Context): ProviderIo => ({
  nowSeconds: nowSeconds(),
  async send(request) {
    const sent = await sendRequest(request, channel, context)
    return { status: sent.response.status, json: JSON.parse(await readAnswerText(sent, ANSWER_TIMEOUT_MS)) }
  },
})

export const upstreamFailed = (message: string): GatewayError => new GatewayError('upstream_failed', message)
