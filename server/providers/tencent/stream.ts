import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, FinishReason, JsonObject } from '../../provider-kit/chat.ts'
import type { StreamPiece, StreamReader } from '../../provider-kit/exchange.ts'
import { countOf, isObject, listOf, objectOf, parseJson, textOf } from '../../provider-kit/json.ts'
import { notJsonFailure } from '../../provider-kit/read-failure.ts'
import { readErrorMessage, readWrappedError } from './failure.ts'

interface Reading {
  readFinish(value: unknown): FinishReason | undefined
  readUsage(json: unknown): Usage | undefined
}

/** Events are not wrapped as whole answers are. Usage grows from event to event; there is no end mark. */
export function openTencentStream({ readFinish, readUsage }: Reading): StreamReader<ChatChunk> {
  const calls = new Set<number>()
  let usage: Usage | undefined
  let isStarted = false
  let isComplete = false

  const readEvent = (json: JsonObject): readonly StreamPiece<ChatChunk>[] => {
    const failure = isObject(json.ErrorMsg) ? readErrorMessage(json.ErrorMsg) : readWrappedError(json)
    if (failure) return [{ type: 'failure', failure }]
    usage = readUsage(json.Usage) ?? usage
    const pieces: ChatChunk[] = isStarted ? [] : [{ type: 'start', id: textOf(json.Id) }]
    isStarted = true
    const choice = objectOf(listOf(json.Choices)[0])
    pieces.push(...deltaPieces(objectOf(choice.Delta), calls))
    const reason = readFinish(choice.FinishReason)
    isComplete ||= reason !== undefined
    return reason ? [...pieces, { type: 'finish', reason }] : pieces
  }

  return {
    read({ data }) {
      if (data === '' || data === '[DONE]') return []
      const json = parseJson(data)
      return isObject(json) ? readEvent(json) : [{ type: 'failure', failure: notJsonFailure() }]
    },
    end: () => ({ chunks: [], usage, isComplete }),
  }
}

function deltaPieces(delta: JsonObject, calls: Set<number>): readonly ChatChunk[] {
  const pieces: ChatChunk[] = []
  const reasoning = textOf(delta.ReasoningContent)
  const text = textOf(delta.Content)
  if (reasoning) pieces.push({ type: 'reasoning-delta', text: reasoning })
  if (text) pieces.push({ type: 'text-delta', text })
  for (const call of listOf(delta.ToolCalls)) pieces.push(callPiece(objectOf(call), calls))
  return pieces
}

/** The id comes with every piece of a call, its name with the first. */
function callPiece(call: JsonObject, calls: Set<number>): ChatChunk {
  const index = countOf(call.Index)
  const { Name, Arguments } = objectOf(call.Function)
  const text = textOf(Arguments) ?? ''
  if (calls.has(index)) return { type: 'tool-arguments-delta', index, text }
  calls.add(index)
  return {
    type: 'tool-call-start',
    index,
    id: textOf(call.Id) ?? '',
    name: textOf(Name) ?? '',
    arguments: text,
  }
}
