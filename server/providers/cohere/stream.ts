import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, FinishReason, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { StreamPiece, StreamReader } from '../../provider-kit/contract/operation-adapter.ts'
import { invalidJsonFailure, readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'

type Pieces = readonly StreamPiece<ChatChunk>[]
const NOTHING: Pieces = []

interface Reading {
  readFinish(reason: unknown): FinishReason
  readUsage(json: unknown): Usage | undefined
}

/** Source: docs.cohere.com/v2/docs/streaming */
export function openCohereStream({ readFinish, readUsage }: Reading): StreamReader<ChatChunk> {
  const calls = new Map<number, number>()
  let usage: Usage | undefined
  let isComplete = false

  const readEvent = (json: JsonObject): Pieces => {
    const delta = asObject(json.delta)
    const message = asObject(delta.message)
    switch (json.type) {
      case 'message-start':
        return [{ type: 'start', id: asString(json.id) }]
      case 'content-start':
      case 'content-delta':
        return readContent(asObject(message.content))
      case 'tool-plan-delta':
        return readContent({ thinking: message.tool_plan })
      case 'tool-call-start':
        calls.set(asCount(json.index), calls.size)
        return [startCall(asObject(message.tool_calls), calls.size - 1)]
      case 'tool-call-delta':
        return addToCall(asObject(message.tool_calls), calls.get(asCount(json.index)))
      case 'message-end':
        isComplete = true
        usage = readUsage(delta.usage)
        return delta.error
          ? [{ type: 'failure', failure: readEmbeddedFailure(delta) }]
          : [{ type: 'finish', reason: readFinish(delta.finish_reason) }]
      default:
        return NOTHING
    }
  }

  return {
    read({ data }) {
      if (data === '' || data === '[DONE]') return NOTHING
      const json = parseJson(data)
      return isObject(json) ? readEvent(json) : [{ type: 'failure', failure: invalidJsonFailure() }]
    },
    end: () => ({ chunks: NOTHING, usage, isComplete }),
  }
}

function readContent(content: JsonObject): Pieces {
  const text = asString(content.text)
  const reasoning = asString(content.thinking)
  if (reasoning) return [{ type: 'reasoning-delta', text: reasoning }]
  return text ? [{ type: 'text-delta', text }] : NOTHING
}

function startCall(call: JsonObject, index: number): ChatChunk {
  const { name, arguments: args } = asObject(call.function)
  return {
    type: 'tool-call-start',
    index,
    id: asString(call.id) ?? '',
    name: asString(name) ?? '',
    arguments: asString(args) ?? '',
  }
}

function addToCall(call: JsonObject, index: number | undefined): Pieces {
  const text = asString(asObject(call.function).arguments)
  return text && index !== undefined ? [{ type: 'tool-arguments-delta', index, text }] : NOTHING
}
