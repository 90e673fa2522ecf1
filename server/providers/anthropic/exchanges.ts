import {
  anthropicChat,
  anthropicNative,
  type ToAnthropicRequest,
} from '../../provider-kit/anthropic-messages/exchanges.ts'
import type { Call } from '../../provider-kit/exchange.ts'
import { versionedUrl } from '../../provider-kit/versioned-url.ts'

const API_VERSION = '2023-06-01'

export const anthropicHeaders = ({ channel }: Pick<Call<unknown>, 'channel'>): Record<string, string> => ({
  'x-api-key': channel.key,
  'anthropic-version': API_VERSION,
  'content-type': 'application/json',
})

const toRequest: ToAnthropicRequest = (call, body) => ({
  url: versionedUrl(call.channel.baseUrl, '/v1/messages'),
  headers: anthropicHeaders(call),
  body: JSON.stringify(body),
})

export const chat = anthropicChat(toRequest)
export const native = anthropicNative(toRequest)
