import type { ChatChunk, ToolCall } from '../contract/chat.ts'
import type { StreamPiece } from '../contract/operation-adapter.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../json.ts'

/** The id of the tool call number `index` of a choice, where the provider sends none. The same for every attempt of a request. */
export const toCallId = (requestId: string, choice: number, index: number): string =>
  `call_${requestId}_${choice}_${index}`

/** Arguments as text: some servers send them as the object itself. */
export const readArguments = (sent: unknown): string | undefined =>
  isObject(sent) ? JSON.stringify(sent) : asString(sent)

/** The id of a call, or undefined where there is none. Some servers send numbers. */
const readCallId = (sent: unknown): string | undefined =>
  (typeof sent === 'number' ? String(sent) : asString(sent)) || undefined

export type UniqueCallIds = (sent: unknown, choice: number, index: number) => string

/** Gives each call of one response an id of its own: the provider's, unless it is missing or was used before. */
export function createCallIds(requestId: string): UniqueCallIds {
  const used = new Set<string>()
  return (sent, choice, index) => {
    const id = readCallId(sent)
    const unique = id === undefined || used.has(id) ? toCallId(requestId, choice, index) : id
    used.add(unique)
    return unique
  }
}

/** The calls of a message or delta with OpenAI's field names. The deprecated `function_call` holds a single call. */
export const listCalls = ({ tool_calls, function_call }: JsonObject): readonly JsonObject[] =>
  isObject(function_call) ? [{ function: function_call }] : asArray(tool_calls).map(asObject)

/** Reads the calls of a complete message. */
export function readMessageCalls(
  message: JsonObject,
  toId: (sent: unknown, index: number) => string,
): readonly ToolCall[] {
  return listCalls(message).map((call, index) => {
    const { name, text } = readFunction(call)
    return {
      id: toId(call.id, index),
      type: 'function',
      function: { name, arguments: text },
      ...(isObject(call.extra_content) && { extra_content: call.extra_content }),
    }
  })
}

/** Mends the calls of a message or delta in its own format. The same object where there is nothing to mend. */
export type CallMender = (message: JsonObject, choice: number) => JsonObject

/** For complete messages: each call has an id of its own, and its arguments are text. */
export function createMessageMender(requestId: string): CallMender {
  const toId = createCallIds(requestId)
  return (message, choice) =>
    withCalls(message, (call, index) => ({
      id: toId(call.id, choice, index),
      index: call.index,
      text: readFunction(call).text,
    }))
}

/** For the deltas of a stream: a client that joins them by their index gets each call whole. Parts that say nothing are left out. */
export function createDeltaMender(requestId: string): CallMender {
  const readCall = createCallReader(requestId)
  return (delta, choice) =>
    withCalls(delta, call => {
      const [piece] = readCall(call, choice)
      if (piece?.type === 'tool-call-start')
        return { id: piece.id, index: piece.index, text: piece.arguments }
      return piece?.type === 'tool-arguments-delta'
        ? { id: call.id, index: piece.index, text: piece.text }
        : undefined
    })
}

interface MendedCall {
  readonly id: unknown
  readonly index: unknown
  readonly text: string
}

function withCalls(
  message: JsonObject,
  read: (call: JsonObject, position: number) => MendedCall | undefined,
): JsonObject {
  const calls = asArray(message.tool_calls).map(asObject)
  const mended = calls.flatMap((call, position) => {
    const filled = withoutBlanks(call)
    const found = read(filled, position)
    return found ? [withFound(filled, found)] : []
  })
  const isUnchanged = mended.length === calls.length && mended.every((call, index) => call === calls[index])
  return isUnchanged ? message : { ...message, tool_calls: mended }
}

const isBlank = (value: unknown): boolean => value === null || value === ''

/** Clients put parts together, and some take an empty name of a later part for the name, or fail at a null. */
function withoutBlanks(call: JsonObject): JsonObject {
  const { function: inner } = call
  if (![call.id, call.type, asObject(inner).name].some(isBlank)) return call
  const filled = omitBlanks(call)
  return isObject(inner)
    ? { ...filled, function: { ...omitBlanks(inner), arguments: inner.arguments } }
    : filled
}

const omitBlanks = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isBlank(value)))

function withFound(call: JsonObject, { id, index, text }: MendedCall): JsonObject {
  const { function: inner } = call
  const hasText = !isObject(inner) || (inner.arguments ?? '') === text
  if (id === call.id && index === call.index && hasText) return call
  return {
    ...call,
    ...(index !== undefined && { index }),
    id,
    ...(isObject(inner) && { function: { ...inner, arguments: text } }),
  }
}

function readFunction(call: JsonObject): { readonly name: string; readonly text: string } {
  const { name, arguments: sent, input } = asObject(call.function ?? call.custom)
  return { name: asString(name) ?? '', text: readArguments(sent) ?? asString(input) ?? '' }
}

interface OpenCall {
  readonly sentId: string | undefined
  /** Undefined until the name has arrived: a call without one cannot be made, and is not shown. */
  index: number | undefined
  name: string
  /** Arguments that arrived before the name. */
  early: string
  readonly isComplete: (text: string) => boolean
  hasEnded: boolean
}

interface ChoiceCalls {
  readonly byIndex: Map<number, OpenCall>
  readonly byId: Map<string, OpenCall>
  last: OpenCall | undefined
  count: number
}

type CallPieces = readonly StreamPiece<ChatChunk>[]
export type CallReader = (json: JsonObject, choice: number) => CallPieces
const NO_PIECES: CallPieces = []

/**
 * Reads the calls of a streamed response from servers that number and name them loosely: a new id begins a call, and so
 * does a name after arguments that are complete, whatever `index` says; id, name and index may be repeated with every
 * chunk or missing. Calls are numbered from 0 in the order in which they begin.
 */
export function createCallReader(requestId: string): CallReader {
  const toId = createCallIds(requestId)
  const choices = new Map<number, ChoiceCalls>()
  return (json, choice) => {
    const calls = choices.get(choice) ?? { byIndex: new Map(), byId: new Map(), last: undefined, count: 0 }
    choices.set(choice, calls)
    const { name, text } = readFunction(json)
    const call = findCall(calls, json, { name, text }) ?? openCall(calls, json)
    call.hasEnded ||= call.isComplete(text)
    if (call.index !== undefined)
      return text ? [{ type: 'tool-arguments-delta', index: call.index, text, choice }] : NO_PIECES
    call.name = name
    call.early += text
    if (name === '') return NO_PIECES
    const index = calls.count
    call.index = index
    calls.count += 1
    const id = toId(json.id ?? call.sentId, choice, index)
    const extraContent = isObject(json.extra_content) ? json.extra_content : undefined
    return [{ type: 'tool-call-start', index, id, name, arguments: call.early, extraContent, choice }]
  }
}

/** The open call that a chunk continues. */
function findCall(
  calls: ChoiceCalls,
  json: JsonObject,
  chunk: { name: string; text: string },
): OpenCall | undefined {
  const sentId = readCallId(json.id)
  const open =
    typeof json.index === 'number'
      ? calls.byIndex.get(json.index)
      : sentId === undefined
        ? calls.last
        : calls.byId.get(sentId)
  if (!open) return undefined
  const isOtherId = sentId !== undefined && open.sentId !== undefined && sentId !== open.sentId
  const isOtherName = chunk.name !== '' && open.name !== '' && chunk.name !== open.name
  const isRepeated = chunk.name !== '' && open.hasEnded && chunk.text.trim() !== ''
  return isOtherId || isOtherName || isRepeated ? undefined : open
}

function openCall(calls: ChoiceCalls, json: JsonObject): OpenCall {
  const sentId = readCallId(json.id)
  const call: OpenCall = {
    sentId,
    index: undefined,
    name: '',
    early: '',
    isComplete: createEndFinder(),
    hasEnded: false,
  }
  if (typeof json.index === 'number') calls.byIndex.set(json.index, call)
  if (sentId !== undefined) calls.byId.set(sentId, call)
  calls.last = call
  return call
}

type JsonState = 'value' | 'text' | 'escape'
const DEPTH_CHANGES: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 }

/** Tells for each part of a JSON object whether the object has ended. Reads every character once. */
function createEndFinder(): (part: string) => boolean {
  let state: JsonState = 'value'
  let depth = 0
  let hasEnded = false
  return part => {
    for (const character of part) {
      const change = state === 'value' ? (DEPTH_CHANGES[character] ?? 0) : 0
      depth += change
      hasEnded ||= change < 0 && depth === 0
      state = nextState(state, character)
    }
    return hasEnded
  }
}

function nextState(state: JsonState, character: string): JsonState {
  if (state === 'escape') return 'text'
  if (character === '"') return state === 'text' ? 'value' : 'text'
  return state === 'text' && character === '\\' ? 'escape' : state
}
