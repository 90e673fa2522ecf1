import {
  anthropicChat,
  anthropicNative,
  type ToAnthropicRequest,
} from '../../provider-kit/anthropic-messages/exchanges.ts'
import { withoutThinkingSuffix } from '../../provider-kit/anthropic-messages/thinking.ts'
import type { Call } from '../../provider-kit/exchange.ts'
import { countOf, objectOf } from '../../provider-kit/json.ts'
import type { TokenCountExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { versionedUrl } from '../../provider-kit/versioned-url.ts'

const API_VERSION = '2023-06-01'

/** A client of this dialect may name its own version, and what it wants to try before it is common. */
export const anthropicHeaders = ({
  channel,
  shownHeaders,
}: Pick<Call<unknown>, 'channel' | 'shownHeaders'>): Record<string, string> => ({
  'anthropic-version': API_VERSION,
  ...shownHeaders,
  'x-api-key': channel.key,
  'content-type': 'application/json',
})

const toRequest: ToAnthropicRequest = (call, body) => ({
  url: versionedUrl(call.channel.baseUrl, '/v1/messages'),
  headers: anthropicHeaders(call),
  body: JSON.stringify(body),
})

export const chat = anthropicChat(toRequest)
export const native = anthropicNative(toRequest)

/** Source: docs.claude.com/en/api/messages-count-tokens */
export const tokenCount: TokenCountExchange = {
  request: call => ({
    url: versionedUrl(call.channel.baseUrl, '/v1/messages/count_tokens'),
    headers: anthropicHeaders(call),
    body: JSON.stringify({ ...call.body, model: withoutThinkingSuffix(call.model) }),
  }),
  reply(json) {
    const tokens = countOf(objectOf(json).input_tokens)
    return tokens > 0
      ? { kind: 'reply', reply: tokens }
      : { kind: 'failure', failure: readHiddenFailure(json) }
  },
}
