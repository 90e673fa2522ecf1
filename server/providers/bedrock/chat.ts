import { toNativeBody } from '../../provider-kit/anthropic-messages/adapters.ts'
import { createAnthropicStreamReader, readReply } from '../../provider-kit/anthropic-messages/response.ts'
import { withoutThinkingSuffix } from '../../provider-kit/anthropic-messages/thinking.ts'
import { toAnthropicBody } from '../../provider-kit/anthropic-messages/to-body.ts'
import { rejectRemoteImages } from '../../provider-kit/chat-request.ts'
import type { ChatChunk, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall, StreamEvent, StreamReader } from '../../provider-kit/contract/operation-adapter.ts'
import type { ChatAdapter, NativeAdapter } from '../../provider-kit/contract/provider.ts'
import { invalidJsonFailure } from '../../provider-kit/failures.ts'
import { asObject, asString, parseJson } from '../../provider-kit/json.ts'
import { readBedrockFailure, readException } from './failure.ts'
import { toInvokeRequest } from './invoke-request.ts'
import { nameOfId } from './model-id.ts'

/** Claude's Messages API; the events of a stream come wrapped, in Amazon's binary framing. */
export const chat: ChatAdapter = {
  framing: 'aws-event-stream',
  inlinesImages: true,
  request(call) {
    rejectRemoteImages(call.body)
    const body = toAnthropicBody({ ...call, model: nameOfId(call.model) })
    return toInvokeRequest({ ...call, model: withoutThinkingSuffix(call.model) }, body)
  },
  reply: readReply,
  stream: openBedrockStream,
  failure: readBedrockFailure,
}

/** For clients that speak to Claude themselves. What they want to try before it is common stands in the body here. */
export const native: NativeAdapter = {
  ...chat,
  nativeFormat: 'anthropic',
  request(call) {
    const body = toNativeBody({ ...call, model: nameOfId(call.model) })
    return toInvokeRequest(
      { ...call, model: withoutThinkingSuffix(call.model) },
      { ...body, ...betasOf(call) },
    )
  },
  unwrap: event => (event.name === 'chunk' ? toClaudeEvent(event) : event),
}

function betasOf({ forwardedHeaders }: AdapterCall<unknown>): JsonObject {
  const betas = forwardedHeaders?.['anthropic-beta']?.split(',').map(beta => beta.trim())
  return betas ? { anthropic_beta: betas } : {}
}

/** Each event holds one of Claude's in base64, beside padding that hides its length. */
function openBedrockStream(): StreamReader<ChatChunk> {
  const reader = createAnthropicStreamReader()
  return {
    read(event) {
      if (event.name !== 'chunk') return [{ type: 'failure', failure: readException(event) }]
      const { data } = toClaudeEvent(event)
      return data === ''
        ? [{ type: 'failure', failure: invalidJsonFailure() }]
        : reader.read({ data, raw: '' })
    },
    end: () => reader.end(),
  }
}

/** As it would have come from Claude's own address. */
function toClaudeEvent({ data }: StreamEvent): StreamEvent {
  const inner = Buffer.from(asString(asObject(parseJson(data)).bytes) ?? '', 'base64').toString()
  const name = asString(asObject(parseJson(inner)).type) ?? 'message'
  return { name, data: inner, raw: `event: ${name}\ndata: ${inner}\n\n` }
}
