import { readReply } from '../../provider-kit/anthropic-messages/reply.ts'
import { openAnthropicStream } from '../../provider-kit/anthropic-messages/stream.ts'
import { withoutThinkingSuffix } from '../../provider-kit/anthropic-messages/thinking.ts'
import { toAnthropicBody } from '../../provider-kit/anthropic-messages/to-body.ts'
import type { ChatChunk } from '../../provider-kit/chat.ts'
import type { StreamReader } from '../../provider-kit/exchange.ts'
import { objectOf, parseJson, textOf } from '../../provider-kit/json.ts'
import type { ChatExchange } from '../../provider-kit/provider.ts'
import { notJsonFailure } from '../../provider-kit/read-failure.ts'
import { refuseRemoteImages } from '../../provider-kit/refuse-remote-images.ts'
import { readBedrockFailure, readException } from './failure.ts'
import { toInvokeRequest } from './invoke-request.ts'
import { nameOfId } from './model-id.ts'

/** Claude's Messages API; the events of a stream come wrapped, in Amazon's binary framing. */
export const chat: ChatExchange = {
  framing: 'aws-event-stream',
  request(call) {
    refuseRemoteImages(call.body)
    const body = toAnthropicBody({ ...call, model: nameOfId(call.model) })
    return toInvokeRequest({ ...call, model: withoutThinkingSuffix(call.model) }, body)
  },
  reply: readReply,
  stream: openBedrockStream,
  failure: readBedrockFailure,
}

/** Each event holds one of Claude's in base64, beside padding that hides its length. */
function openBedrockStream(): StreamReader<ChatChunk> {
  const reader = openAnthropicStream()
  return {
    read(event) {
      if (event.name !== 'chunk') return [{ type: 'failure', failure: readException(event) }]
      const bytes = textOf(objectOf(parseJson(event.data)).bytes)
      if (!bytes) return [{ type: 'failure', failure: notJsonFailure() }]
      return reader.read({ data: Buffer.from(bytes, 'base64').toString(), raw: '' })
    },
    end: () => reader.end(),
  }
}
