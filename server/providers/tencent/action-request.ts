import type { JsonObject } from '../../provider-kit/chat.ts'
import type { Call, UpstreamRequest } from '../../provider-kit/exchange.ts'
import { signTc3 } from './sign.ts'

/** Every action has one address; the body is signed as it is sent. */
export function toActionRequest(
  { channel, nowSeconds }: Call<unknown>,
  action: 'ChatCompletions' | 'GetEmbedding',
  body: JsonObject,
): UpstreamRequest {
  return {
    url: `${channel.baseUrl}/`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    sign: sent => signTc3(sent, { key: channel.key, action, nowSeconds }),
  }
}
