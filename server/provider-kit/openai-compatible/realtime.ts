import type { JsonObject } from '../chat.ts'
import type { Call } from '../exchange.ts'
import type { RealtimeExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { bearerHeaders, openaiUrl } from './transport.ts'

interface OpenaiCompatibleRealtime {
  /** Where the address is not base and path. */
  readonly url?: (call: Call<JsonObject>) => string
  readonly headers?: (call: Call<JsonObject>) => Record<string, string>
}

/** A conversation over a socket, for vendors that follow OpenAI. Source: platform.openai.com/docs/guides/realtime-websocket */
export const openaiCompatibleRealtime = (vendor: OpenaiCompatibleRealtime = {}): RealtimeExchange => ({
  request: call => ({
    url: (vendor.url?.(call) ?? defaultUrl(call)).replace(/^http/, 'ws'),
    headers: { ...(vendor.headers?.(call) ?? bearerHeaders(call)), ...call.shownHeaders },
  }),
  reply: json => ({ kind: 'failure', failure: readHiddenFailure(json) }),
})

const defaultUrl = ({ channel, model }: Call<JsonObject>): string =>
  `${openaiUrl(channel.baseUrl, '/v1/realtime')}?model=${encodeURIComponent(model)}`
