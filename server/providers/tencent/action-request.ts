import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall, UpstreamRequest } from '../../provider-kit/contract/operation-adapter.ts'
import { signTc3 } from './sign.ts'

/** Every action has one address; the body is signed as it is sent. */
export function toActionRequest(
  { channel, nowSeconds }: AdapterCall<unknown>,
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
