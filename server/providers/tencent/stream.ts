import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, FinishReason, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { StreamPiece, StreamReader } from '../../provider-kit/contract/operation-adapter.ts'
import { invalidJsonFailure } from '../../provider-kit/failures.ts'
import { asArray, asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'
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
    const pieces: ChatChunk[] = isStarted ? [] : [{ type: 'start', id: asString(json.Id) }]
    isStarted = true
    const choice = asObject(asArray(json.Choices)[0])
    pieces.push(...deltaPieces(asObject(choice.Delta), calls))
    const reason = readFinish(choice.FinishReason)
    isComplete ||= reason !== undefined
    return reason ? [...pieces, { type: 'finish', reason }] : pieces
  }

  return {
    read({ data }) {
      if (data === '' || data === '[DONE]') return []
      const json = parseJson(data)
      return isObject(json) ? readEvent(json) : [{ type: 'failure', failure: invalidJsonFailure() }]
    },
    end: () => ({ chunks: [], usage, isComplete }),
  }
}

function deltaPieces(delta: JsonObject, calls: Set<number>): readonly ChatChunk[] {
  const pieces: ChatChunk[] = []
  const reasoning = asString(delta.ReasoningContent)
  const text = asString(delta.Content)
  if (reasoning) pieces.push({ type: 'reasoning-delta', text: reasoning })
  if (text) pieces.push({ type: 'text-delta', text })
  for (const call of asArray(delta.ToolCalls)) pieces.push(callPiece(asObject(call), calls))
  return pieces
}

/** The id comes with every piece of a call, its name with the first. */
function callPiece(call: JsonObject, calls: Set<number>): ChatChunk {
  const index = asCount(call.Index)
  const { Name, Arguments } = asObject(call.Function)
  const text = asString(Arguments) ?? ''
  if (calls.has(index)) return { type: 'tool-arguments-delta', index, text }
  calls.add(index)
  return {
    type: 'tool-call-start',
    index,
    id: asString(call.Id) ?? '',
    name: asString(Name) ?? '',
    arguments: text,
  }
}
