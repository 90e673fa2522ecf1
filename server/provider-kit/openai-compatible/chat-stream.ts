import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, JsonObject } from '../chat.ts'
import type { StreamPiece, StreamReader } from '../exchange.ts'
import type { Failure } from '../failure.ts'
import { isObject, listOf, objectOf, parseJson, textOf } from '../json.ts'
import { notJsonFailure } from '../read-failure.ts'
import { readFinish, readReasoning, readText } from './chat-choice.ts'

type Piece = StreamPiece<ChatChunk>
const NOTHING: readonly Piece[] = []

/** What is looked for in whole answers and in chunks alike. */
export interface AnswerReading {
  readonly usageOf: (json: JsonObject) => Usage | undefined
  readonly failureIn: (json: JsonObject) => Failure | undefined
  /** Absent: what is new stands in `delta`. */
  readonly deltaOf?: (choice: JsonObject) => JsonObject
}

/** Reads `chat.completion.chunk` events. Keeps the calls that are open, usage, and whether the end was seen. */
export function openChatStream({
  usageOf,
  failureIn,
  deltaOf = choice => objectOf(choice.delta),
}: AnswerReading): StreamReader<ChatChunk> {
  const calls = openCallIndex()
  let usage: Usage | undefined
  let isStarted = false
  let isComplete = false

  const readChunk = (json: JsonObject): readonly Piece[] => {
    const pieces: Piece[] = []
    const choices = listOf(json.choices)
    if (!isStarted && choices.length > 0) {
      isStarted = true
      pieces.push({ type: 'start', id: textOf(json.id) || undefined, model: textOf(json.model) || undefined })
    }
    for (const choice of choices.map(objectOf))
      if (!isRepetition(choice)) readChoiceDelta(choice, deltaOf(choice), calls, pieces)
    isComplete ||= pieces.some(isFinish)
    return pieces
  }

  return {
    read({ data }) {
      if (data === '') return NOTHING
      if (data === '[DONE]') {
        isComplete = true
        return NOTHING
      }
      const json = parseJson(data)
      if (!isObject(json)) return [{ type: 'failure', failure: notJsonFailure() }]
      const failure = failureIn(json)
      if (failure) return [{ type: 'failure', failure }]
      usage = usageOf(json) ?? usage
      return readChunk(json)
    },
    end: () => ({ chunks: NOTHING, usage, isComplete }),
  }
}

const isFinish = ({ type }: Piece): boolean => type === 'finish'

/** A choice with a message instead of a delta repeats the whole answer. */
const isRepetition = (choice: JsonObject): boolean => isObject(choice.message) && !isObject(choice.delta)

function readChoiceDelta(json: JsonObject, delta: JsonObject, calls: CallIndex, pieces: Piece[]): void {
  const choice = typeof json.index === 'number' ? json.index : 0
  const reasoning = readReasoning(delta)
  const signature = textOf(delta.reasoning_signature)
  const text = readText(delta)
  const refusal = textOf(delta.refusal)
  if (reasoning) pieces.push({ type: 'reasoning-delta', text: reasoning, choice })
  if (signature) pieces.push({ type: 'reasoning-signature', signature, choice })
  if (text) pieces.push({ type: 'text-delta', text, choice })
  if (refusal) pieces.push({ type: 'refusal-delta', text: refusal, choice })
  if (isObject(delta.audio))
    pieces.push({
      type: 'sound-delta',
      text: textOf(delta.audio.transcript) ?? '',
      sound: delta.audio,
      choice,
    })
  for (const call of callsIn(delta)) readCallDelta(objectOf(call), choice, calls, pieces)
  const reason = readFinish(json.finish_reason)
  if (reason) pieces.push({ type: 'finish', reason, choice })
}

/** The first API has one call at most, under a name of its own. */
const callsIn = ({ tool_calls, function_call }: JsonObject): readonly unknown[] =>
  isObject(function_call) ? [{ function: function_call }] : listOf(tool_calls)

function readCallDelta(json: JsonObject, choice: number, calls: CallIndex, pieces: Piece[]): void {
  const { name, arguments: argumentsText, input } = objectOf(json.function ?? json.custom)
  const text = textOf(argumentsText) ?? textOf(input) ?? ''
  const { index, isNew } = calls.place(choice, json)
  if (!isNew) {
    if (text) pieces.push({ type: 'tool-arguments-delta', index, text, choice })
    return
  }
  pieces.push({
    type: 'tool-call-start',
    index,
    id: textOf(json.id) ?? '',
    name: textOf(name) ?? '',
    arguments: text,
    extraContent: isObject(json.extra_content) ? json.extra_content : undefined,
    choice,
  })
}

/** Knows which tool calls have begun. Vendors that leave the index out name a new call by its id. */
interface CallIndex {
  place(choice: number, call: JsonObject): { readonly index: number; readonly isNew: boolean }
}

function openCallIndex(): CallIndex {
  const seenOf = new Map<number, Set<number>>()
  return {
    place(choice, call) {
      const seen = seenOf.get(choice) ?? new Set()
      seenOf.set(choice, seen)
      const next = seen.size
      const index = typeof call.index === 'number' ? call.index : call.id ? next : Math.max(next - 1, 0)
      const isNew = !seen.has(index)
      seen.add(index)
      return { index, isNew }
    },
  }
}
