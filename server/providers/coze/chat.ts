import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { Failure, StreamPiece, StreamReader } from '../../provider-kit/contract/operation-adapter.ts'
import type { ChatAdapter } from '../../provider-kit/contract/provider.ts'
import { invalidJsonFailure, readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { bearerHeaders } from '../../provider-kit/transport.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { readCozeError, readCozeFailure } from './failure.ts'
import { toCozeBody } from './to-body.ts'
import { uploadToCoze } from './upload.ts'

/** Whole JSON comes only in the place of a stream, and says what went wrong. */
export const chat: ChatAdapter = {
  framing: 'sse',
  prepare: uploadToCoze,
  request: call => ({
    url: `${call.channel.baseUrl}/v3/chat`,
    headers: bearerHeaders(call),
    body: JSON.stringify(toCozeBody(call)),
  }),
  reply: json => ({ kind: 'failure', failure: readCozeError(json) ?? readEmbeddedFailure(json) }),
  stream: openCozeStream,
  failure: readCozeFailure,
}

/** Messages come in pieces and then once more whole; only pieces of answers count. */
function openCozeStream(): StreamReader<ChatChunk> {
  let usage: Usage | undefined
  let isComplete = false

  const readEvent = (name: string | undefined, json: JsonObject): readonly StreamPiece<ChatChunk>[] => {
    switch (name) {
      case 'conversation.chat.created':
        return [{ type: 'start', id: asString(json.id) }]
      case 'conversation.message.delta':
        return json.type === 'answer' ? readDelta(json) : []
      case 'conversation.chat.completed':
        isComplete = true
        usage = readUsage(json.usage)
        return [{ type: 'finish', reason: 'stop' }]
      case 'conversation.chat.requires_action':
        return [{ type: 'failure', failure: WANTS_ACTION }]
      case 'conversation.chat.failed':
        return [{ type: 'failure', failure: readCozeError(json.last_error) ?? readEmbeddedFailure(json) }]
      case 'error':
        return [{ type: 'failure', failure: readCozeError(json) ?? readEmbeddedFailure(json) }]
      default:
        return []
    }
  }

  return {
    read({ name, data }) {
      if (data === '' || name === 'done') return []
      const json = parseJson(data)
      return isObject(json) ? readEvent(name, json) : [{ type: 'failure', failure: invalidJsonFailure() }]
    },
    end: () => ({ chunks: [], usage, isComplete }),
  }
}

const WANTS_ACTION: Failure = {
  status: 502,
  code: 'requires_action',
  message: 'the bot waits for the result of a plugin on the side of the client, which cannot be given',
  type: 'upstream_error',
}

function readDelta({ content, reasoning_content }: JsonObject): readonly ChatChunk[] {
  const reasoning = asString(reasoning_content)
  const text = asString(content)
  return [
    ...(reasoning ? [{ type: 'reasoning-delta' as const, text: reasoning }] : []),
    ...(text ? [{ type: 'text-delta' as const, text }] : []),
  ]
}

function readUsage(json: unknown): Usage | undefined {
  const { input_count, output_count } = asObject(json)
  return usageFromTotals({ prompt: asCount(input_count), completion: asCount(output_count) })
}
