import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, FinishReason, JsonObject } from '../../provider-kit/chat.ts'
import type { StreamPiece, StreamReader } from '../../provider-kit/exchange.ts'
import { countOf, isObject, objectOf, parseJson, textOf } from '../../provider-kit/json.ts'
import { notJsonFailure, readHiddenFailure } from '../../provider-kit/read-failure.ts'

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
    const delta = objectOf(json.delta)
    const message = objectOf(delta.message)
    switch (json.type) {
      case 'message-start':
        return [{ type: 'start', id: textOf(json.id) }]
      case 'content-start':
      case 'content-delta':
        return readContent(objectOf(message.content))
      case 'tool-plan-delta':
        return readContent({ thinking: message.tool_plan })
      case 'tool-call-start':
        calls.set(countOf(json.index), calls.size)
        return [startCall(objectOf(message.tool_calls), calls.size - 1)]
      case 'tool-call-delta':
        return addToCall(objectOf(message.tool_calls), calls.get(countOf(json.index)))
      case 'message-end':
        isComplete = true
        usage = readUsage(delta.usage)
        return delta.error
          ? [{ type: 'failure', failure: readHiddenFailure(delta) }]
          : [{ type: 'finish', reason: readFinish(delta.finish_reason) }]
      default:
        return NOTHING
    }
  }

  return {
    read({ data }) {
      if (data === '' || data === '[DONE]') return NOTHING
      const json = parseJson(data)
      return isObject(json) ? readEvent(json) : [{ type: 'failure', failure: notJsonFailure() }]
    },
    end: () => ({ chunks: NOTHING, usage, isComplete }),
  }
}

function readContent(content: JsonObject): Pieces {
  const text = textOf(content.text)
  const reasoning = textOf(content.thinking)
  if (reasoning) return [{ type: 'reasoning-delta', text: reasoning }]
  return text ? [{ type: 'text-delta', text }] : NOTHING
}

function startCall(call: JsonObject, index: number): ChatChunk {
  const { name, arguments: args } = objectOf(call.function)
  return {
    type: 'tool-call-start',
    index,
    id: textOf(call.id) ?? '',
    name: textOf(name) ?? '',
    arguments: textOf(args) ?? '',
  }
}

function addToCall(call: JsonObject, index: number | undefined): Pieces {
  const text = textOf(objectOf(call.function).arguments)
  return text && index !== undefined ? [{ type: 'tool-arguments-delta', index, text }] : NOTHING
}
