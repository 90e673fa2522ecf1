import { toNativeBody } from '../../provider-kit/anthropic-messages/exchanges.ts'
import { readReply } from '../../provider-kit/anthropic-messages/reply.ts'
import { openAnthropicStream } from '../../provider-kit/anthropic-messages/stream.ts'
import { withoutThinkingSuffix } from '../../provider-kit/anthropic-messages/thinking.ts'
import { toAnthropicBody } from '../../provider-kit/anthropic-messages/to-body.ts'
import type { ChatChunk, JsonObject } from '../../provider-kit/chat.ts'
import type { Call, StreamEvent, StreamReader } from '../../provider-kit/exchange.ts'
import { objectOf, parseJson, textOf } from '../../provider-kit/json.ts'
import type { ChatExchange, NativeExchange } from '../../provider-kit/provider.ts'
import { notJsonFailure } from '../../provider-kit/read-failure.ts'
import { refuseRemoteImages } from '../../provider-kit/refuse-remote-images.ts'
import { readBedrockFailure, readException } from './failure.ts'
import { toInvokeRequest } from './invoke-request.ts'
import { nameOfId } from './model-id.ts'

/** Claude's Messages API; the events of a stream come wrapped, in Amazon's binary framing. */
export const chat: ChatExchange = {
  framing: 'aws-event-stream',
  embedsPictures: true,
  request(call) {
    refuseRemoteImages(call.body)
    const body = toAnthropicBody({ ...call, model: nameOfId(call.model) })
    return toInvokeRequest({ ...call, model: withoutThinkingSuffix(call.model) }, body)
  },
  reply: readReply,
  stream: openBedrockStream,
  failure: readBedrockFailure,
}

/** For clients that speak to Claude themselves. What they want to try before it is common stands in the body here. */
export const native: NativeExchange = {
  ...chat,
  wire: 'anthropic',
  request(call) {
    const body = toNativeBody({ ...call, model: nameOfId(call.model) })
    return toInvokeRequest(
      { ...call, model: withoutThinkingSuffix(call.model) },
      { ...body, ...betasOf(call) },
    )
  },
  unwrap: event => (event.name === 'chunk' ? toClaudeEvent(event) : event),
}

function betasOf({ shownHeaders }: Call<unknown>): JsonObject {
  const betas = shownHeaders?.['anthropic-beta']?.split(',').map(beta => beta.trim())
  return betas ? { anthropic_beta: betas } : {}
}

/** Each event holds one of Claude's in base64, beside padding that hides its length. */
function openBedrockStream(): StreamReader<ChatChunk> {
  const reader = openAnthropicStream()
  return {
    read(event) {
      if (event.name !== 'chunk') return [{ type: 'failure', failure: readException(event) }]
      const { data } = toClaudeEvent(event)
      return data === '' ? [{ type: 'failure', failure: notJsonFailure() }] : reader.read({ data, raw: '' })
    },
    end: () => reader.end(),
  }
}

/** As it would have come from Claude's own address. */
function toClaudeEvent({ data }: StreamEvent): StreamEvent {
  const inner = Buffer.from(textOf(objectOf(parseJson(data)).bytes) ?? '', 'base64').toString()
  const name = textOf(objectOf(parseJson(inner)).type) ?? 'message'
  return { name, data: inner, raw: `event: ${name}\ndata: ${inner}\n\n` }
}
