import {
  anthropicChat,
  anthropicNative,
  type ToAnthropicRequest,
  withOwnHistory,
} from '../../provider-kit/anthropic-messages/adapters.ts'
import { toolBetaHeader } from '../../provider-kit/anthropic-messages/hosted-tools.ts'
import { withoutThinkingSuffix } from '../../provider-kit/anthropic-messages/thinking.ts'
import {
  type AdapterCall,
  stringifyBody,
  type TokenCountAdapter,
  versionedUrl,
} from '../../provider-kit/contract/operation-adapter.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject } from '../../provider-kit/json.ts'

const API_VERSION = '2023-06-01'

/** A client may set its own API version and beta features. */
export const anthropicHeaders = ({
  channel,
  forwardedHeaders,
  hostedTools,
}: Pick<AdapterCall<unknown>, 'channel' | 'forwardedHeaders' | 'hostedTools'>): Record<string, string> => ({
  'anthropic-version': API_VERSION,
  ...toolBetaHeader(hostedTools),
  ...forwardedHeaders,
  'x-api-key': channel.key,
  'content-type': 'application/json',
})

const toRequest: ToAnthropicRequest = (call, body) => ({
  url: versionedUrl(call.channel.baseUrl, '/v1/messages'),
  headers: anthropicHeaders(call),
  body: stringifyBody(body, call),
})

export const chat = anthropicChat(toRequest)
export const native = anthropicNative(toRequest)

/** Source: docs.claude.com/en/api/messages-count-tokens */
export const tokenCount: TokenCountAdapter = {
  request(call) {
    const body = withOwnHistory(call.body)
    return {
      url: versionedUrl(call.channel.baseUrl, '/v1/messages/count_tokens'),
      headers: anthropicHeaders(call),
      body: stringifyBody({ ...body, model: withoutThinkingSuffix(call.model) }, call),
    }
  },
  reply(json) {
    const tokens = asCount(asObject(json).input_tokens)
    return tokens > 0
      ? { kind: 'reply', reply: tokens }
      : { kind: 'failure', failure: readEmbeddedFailure(json) }
  },
}
