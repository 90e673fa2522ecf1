import { nowSeconds } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import type { ChannelView, ProviderIo } from '../../provider-kit/exchange.ts'
import { parseJson } from '../../provider-kit/json.ts'
import { readAnswerText, type Send } from './send.ts'

const TIMEOUT_MS = 30_000

/** What a vendor's small conversations on behalf of a channel go through. A call that nobody answers throws a GatewayError. */
export const openProviderIo = ({ setting }: ChannelView, send: Send): ProviderIo => ({
  nowSeconds: nowSeconds(),
  async send(request) {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const sent = await send(request, {
      waiter: { signal },
      headersTimeoutMs: TIMEOUT_MS,
      proxy: setting.proxy,
    })
    if (sent.kind === 'failure') throw new GatewayError('upstream_failed', sent.failure.message)
    return { status: sent.response.status, json: parseJson(await readAnswerText(sent, TIMEOUT_MS)) }
  },
})
