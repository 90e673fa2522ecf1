import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, JsonObject } from '../chat.ts'
import type { Call, StreamPiece, StreamReader } from '../exchange.ts'
import { isObject, parseJson, textOf } from '../json.ts'
import { notJsonFailure, readHiddenFailure } from '../read-failure.ts'
import {
  blockReasonIn,
  type Candidate,
  type PartContent,
  type Refusals,
  readCandidates,
  readFinish,
  refusalOf,
  toToolCall,
} from './parts.ts'
import { toCallId } from './reply.ts'
import { readGeminiUsage } from './usage.ts'

type Pieces = readonly StreamPiece<ChatChunk>[]
const NOTHING: Pieces = []

/** Reads a stream of whole answers in parts. Usage comes in every event; the last counts. There is no end mark. */
export function openGeminiStream(
  { requestId }: Pick<Call<unknown>, 'requestId'>,
  refusals: Refusals = 'failures',
): StreamReader<ChatChunk> {
  const callsOf = new Map<number, number>()
  let usage: Usage | undefined
  let isStarted = false
  let isComplete = false

  const toPieces = ({ text, reasoning, functionCall }: PartContent, choice: number): Pieces => {
    if (!functionCall) return textPieces(text, reasoning, choice)
    const index = callsOf.get(choice) ?? 0
    callsOf.set(choice, index + 1)
    const call = toToolCall(functionCall, toCallId(requestId, choice, index))
    const { name, arguments: args } = call.function
    const extraContent = call.extra_content
    return [{ type: 'tool-call-start', index, id: call.id, name, arguments: args, extraContent, choice }]
  }

  const readCandidate = ({ choice, parts, finishReason }: Candidate): Pieces => {
    const pieces = parts.flatMap(part => toPieces(part, choice))
    if (!finishReason) return pieces
    isComplete = true
    return [...pieces, { type: 'finish', reason: readFinish(finishReason, callsOf.has(choice)), choice }]
  }

  const readBlocked = (): Pieces => {
    isComplete = true
    return [{ type: 'finish', reason: 'content_filter' }]
  }

  const readAnswer = (json: JsonObject): Pieces => {
    const candidates = readCandidates(json)
    const isTold = refusals === 'told'
    const refusal = isTold ? undefined : refusalOf(json, candidates)
    const failure = json.error ? readHiddenFailure(json) : refusal
    if (failure) return [{ type: 'failure', failure }]
    usage = readGeminiUsage(json.usageMetadata) ?? usage
    const pieces = isTold && blockReasonIn(json) ? readBlocked() : candidates.flatMap(readCandidate)
    if (isStarted) return pieces
    isStarted = true
    return [{ type: 'start', id: textOf(json.responseId), model: textOf(json.modelVersion) }, ...pieces]
  }

  return {
    read({ data }) {
      if (data === '') return NOTHING
      const parsed = parseJson(data)
      const json = Array.isArray(parsed) ? parsed[0] : parsed
      return isObject(json) ? readAnswer(json) : [{ type: 'failure', failure: notJsonFailure() }]
    },
    end: () => ({ chunks: NOTHING, usage, isComplete }),
  }
}

function textPieces(text: string, reasoning: string, choice: number): Pieces {
  if (reasoning) return [{ type: 'reasoning-delta', text: reasoning, choice }]
  return text ? [{ type: 'text-delta', text, choice }] : NOTHING
}
