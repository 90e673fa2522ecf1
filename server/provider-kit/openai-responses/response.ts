import { toHandle } from '../../core/ids.ts'
import type { Usage } from '../../core/usage.ts'
import type {
  ChatChoice,
  ChatChunk,
  ChatReply,
  FinishReason,
  ToolCall,
  UrlCitation,
  WebSearch,
} from '../contract/chat.ts'
import type { AdapterResult, StreamCall, StreamPiece, StreamReader } from '../contract/operation-adapter.ts'
import { readInputParts, usageFromTotals, withExtras } from '../extra-usage.ts'
import { type Failure, readEmbeddedFailure } from '../failures.ts'
import { readJsonEvents } from '../framing/json-events.ts'
import { readAccountIds, readTexts } from '../hosted-tools.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject, omitNullish } from '../json.ts'
import { createCallIds, readArguments, type UniqueCallIds } from '../openai-compatible/tool-calls.ts'
import { orUndefined, readSources, readUrlCitation } from '../web-citations.ts'
import { createToolCounter } from './tool-counter.ts'

/** Items of the provider's own tools have no canonical form and are dropped. */
export function readReply(
  json: unknown,
  { requestId }: Pick<StreamCall, 'requestId'>,
): AdapterResult<ChatReply> {
  if (!isObject(json) || !Array.isArray(json.output) || json.status === 'failed')
    return { kind: 'failure', failure: readEmbeddedFailure(json) }
  const reply = {
    id: asString(json.id),
    model: asString(json.model),
    choices: [toChoice(json, createCallIds(requestId))],
  }
  const handles = [{ id: json.id }, ...asArray(json.output)].flatMap(part => readHandles(asObject(part)))
  const tools = createToolCounter()
  for (const item of asArray(json.output)) tools.add(asObject(item))
  const usage = withExtras(readResponsesUsage(json.usage), tools.extras(json))
  return { kind: 'reply', reply, usage, handles }
}

/** A search that the provider ran and charges. Opening a page is none. */
const isWebSearch = ({ type, status, action }: JsonObject): boolean =>
  type === 'web_search_call' && status !== 'failed' && (asObject(action).type ?? 'search') === 'search'

/** Of one of a response's items, with the containers and files that it names. */
const readHandles = (item: JsonObject): readonly string[] =>
  [item.id, item.encrypted_content, ...readAccountIds(item)]
    .filter(value => typeof value === 'string' && value !== '')
    .map(value => toHandle(String(value)))

function toChoice(json: JsonObject, toCallId: UniqueCallIds): ChatChoice {
  const items = asArray(json.output).map(asObject)
  const text = selectParts(items, 'message', 'content')
  const thought = [
    ...selectParts(items, 'reasoning', 'summary'),
    ...selectParts(items, 'reasoning', 'content'),
  ]
  const calls = items
    .filter(({ type }) => type === 'function_call')
    .map((item, index) => toToolCall(item, toCallId(item.call_id, 0, index)))
  const searches = items.filter(isWebSearch).map(readSearch)
  return {
    text: joinField(text, 'text'),
    refusal: joinField(text, 'refusal') || undefined,
    reasoning: joinField(thought, 'text') || undefined,
    reasoningSignature: readSignature(items),
    toolCalls: calls.length > 0 ? calls : undefined,
    ...omitNullish({ citations: orUndefined(readCitations(text)), searches: orUndefined(searches) }),
    finish: readFinish(json, calls.length > 0),
  }
}

/** Places count from the start of a part. */
function readCitations(parts: readonly JsonObject[]): readonly UrlCitation[] {
  let offset = 0
  return parts.flatMap(({ annotations, text }) => {
    const found = asArray(annotations).flatMap(annotation => readAnnotation(asObject(annotation), offset))
    offset += (asString(text) ?? '').length
    return found
  })
}

const readAnnotation = (annotation: JsonObject, offset: number): readonly UrlCitation[] =>
  annotation.type === 'url_citation' ? readUrlCitation(annotation, offset) : []

function readSearch({ action }: JsonObject): WebSearch {
  const { query, queries, sources } = asObject(action)
  return { queries: readTexts(queries) ?? readTexts([query]) ?? [], sources: readSources(sources) }
}

const selectParts = (items: readonly JsonObject[], type: string, field: string): readonly JsonObject[] =>
  items.filter(item => item.type === type).flatMap(item => asArray(item[field]).map(asObject))

const joinField = (parts: readonly JsonObject[], field: string): string =>
  parts.map(part => asString(part[field]) ?? '').join('')

const readSignature = (items: readonly JsonObject[]): string | undefined =>
  asString(items.findLast(({ type }) => type === 'reasoning')?.encrypted_content) || undefined

const toToolCall = (item: JsonObject, id: string): ToolCall => ({
  id,
  type: 'function',
  function: { name: asString(item.name) ?? '', arguments: readArguments(item.arguments) ?? '' },
})

/** Why a response ended, from its `incomplete_details`. */
export function readFinish({ incomplete_details }: JsonObject, hasCalls: boolean): FinishReason {
  const { reason } = asObject(incomplete_details)
  if (reason === 'max_output_tokens') return 'length'
  if (reason === 'content_filter') return 'content_filter'
  return hasCalls ? 'tool_calls' : 'stop'
}

/** An error event holds its message at the top level, a failed response in `error`. */
export const readStreamFailure = (json: JsonObject): Failure =>
  readEmbeddedFailure({ error: json.type === 'error' ? (json.error ?? json) : asObject(json.response).error })

/** Reads `usage` with the field names of the Responses API. */
export function readResponsesUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  return usageFromTotals({
    prompt: asCount(json.input_tokens),
    ...readInputParts(asObject(json.input_tokens_details)),
    completion: asCount(json.output_tokens),
    reasoning: asCount(asObject(json.output_tokens_details).reasoning_tokens),
    total: asCount(json.total_tokens),
  })
}

type ResponsesPieces = readonly StreamPiece<ChatChunk>[]
const NO_PIECES: ResponsesPieces = []

/** Reads the named events. Source: platform.openai.com/docs/api-reference/responses-streaming */
export function createResponsesStreamReader({
  requestId,
}: Pick<StreamCall, 'requestId'>): StreamReader<ChatChunk> {
  const calls = openCallItems(createCallIds(requestId))
  const handles: string[] = []
  const places = createPlaces()
  const tools = createToolCounter()
  let usage: Usage | undefined
  let isComplete = false

  const readEnd = (response: JsonObject): ResponsesPieces => {
    if (isComplete) return NO_PIECES
    usage = withExtras(readResponsesUsage(response.usage) ?? usage, tools.extras(response))
    isComplete = true
    return [{ type: 'finish', reason: readFinish(response, calls.count() > 0) }]
  }

  const readEvent = (json: JsonObject): ResponsesPieces => {
    switch (json.type) {
      case 'response.created': {
        const { id, model } = asObject(json.response)
        handles.push(...readHandles({ id }))
        tools.begin(asObject(json.response))
        return [{ type: 'start', id: asString(id), model: asString(model) }]
      }
      case 'response.completed':
      case 'response.incomplete':
      // The end of a response in the Realtime API, and of some compatible servers here.
      case 'response.done':
        return readEnd(asObject(json.response))
      case 'response.failed':
      case 'error':
        return [{ type: 'failure', failure: readStreamFailure(json) }]
      case 'response.output_item.done':
        handles.push(...readHandles(asObject(json.item)))
        tools.add(asObject(json.item))
        return isWebSearch(asObject(json.item))
          ? [{ type: 'web-search', search: readSearch(asObject(json.item)) }]
          : readDelta(json, calls)
      case 'response.output_text.annotation.added':
        return places
          .readCitation(asObject(json.annotation))
          .map(citation => ({ type: 'citation', citation }) as const)
      default:
        places.count(json)
        return readDelta(json, calls)
    }
  }

  return {
    read: readJsonEvents(readEvent),
    // Tool use is charged even where the response breaks off before it reports its tokens.
    end: () => ({
      chunks: NO_PIECES,
      usage: usage ?? withExtras(usage, tools.extras({})),
      isComplete,
      handles,
    }),
  }
}

/** Where the part begins that citations count from. */
interface CitationPlaces {
  count(json: JsonObject): void
  readCitation(annotation: JsonObject): readonly UrlCitation[]
}

function createPlaces(): CitationPlaces {
  let offset = 0
  let chars = 0
  return {
    count({ type, delta }) {
      if (type === 'response.content_part.added') offset = chars
      if (type === 'response.output_text.delta') chars += (asString(delta) ?? '').length
    },
    readCitation: annotation => readAnnotation(annotation, offset),
  }
}

function readDelta(json: JsonObject, calls: CallItems): ResponsesPieces {
  switch (json.type) {
    case 'response.output_text.delta':
      return textPiece('text-delta', json.delta)
    case 'response.refusal.delta':
      return textPiece('refusal-delta', json.delta)
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return textPiece('reasoning-delta', json.delta)
    case 'response.output_item.added':
      return calls.open(json)
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
      return calls.add(json)
    case 'response.code_interpreter_call_code.delta':
    case 'response.mcp_call_arguments.delta':
      return textPiece('unmapped-delta', json.delta)
    case 'response.output_item.done':
      return [...calls.close(json), ...signaturePiece(asObject(json.item))]
    default:
      return NO_PIECES
  }
}

type DeltaText = 'text-delta' | 'refusal-delta' | 'reasoning-delta' | 'unmapped-delta'

const textPiece = (type: DeltaText, value: unknown): ResponsesPieces => {
  const text = asString(value)
  return text ? [{ type, text }] : NO_PIECES
}

const signaturePiece = ({ type, encrypted_content }: JsonObject): ResponsesPieces =>
  type === 'reasoning' && typeof encrypted_content === 'string'
    ? [{ type: 'reasoning-signature', signature: encrypted_content }]
    : NO_PIECES

/** Numbers calls from 0, independent of their items' indexes. The arguments may only arrive at the end of an item. */
interface CallItems {
  open(json: JsonObject): ResponsesPieces
  add(json: JsonObject): ResponsesPieces
  close(json: JsonObject): ResponsesPieces
  count(): number
}

/** A tool of the client: one with JSON arguments, or one with free text. */
const isCall = ({ type }: JsonObject): boolean => type === 'function_call' || type === 'custom_tool_call'
const readDeltas = ({ arguments: json, input }: JsonObject): string | undefined =>
  readArguments(json) ?? asString(input)
/** Servers that leave out the place of an item tell its id. */
const placeOf = (json: JsonObject): unknown => json.output_index ?? json.item_id ?? asObject(json.item).id

function openCallItems(toCallId: UniqueCallIds): CallItems {
  const calls = new Map<unknown, { readonly index: number; hasArguments: boolean }>()
  return {
    open(json) {
      const item = asObject(json.item)
      if (!isCall(item)) return NO_PIECES
      const index = calls.size
      const text = readDeltas(item) ?? ''
      calls.set(placeOf(json), { index, hasArguments: text !== '' })
      const { call_id: id, name } = item
      return [
        {
          type: 'tool-call-start',
          index,
          id: toCallId(id, 0, index),
          name: asString(name) ?? '',
          arguments: text,
        },
      ]
    },
    add(json) {
      const call = calls.get(placeOf(json))
      const text = asString(json.delta)
      if (!call || !text) return NO_PIECES
      call.hasArguments = true
      return [{ type: 'tool-arguments-delta', index: call.index, text }]
    },
    close(json) {
      const call = calls.get(placeOf(json))
      const text = readDeltas(asObject(json.item))
      return call && !call.hasArguments && text
        ? [{ type: 'tool-arguments-delta', index: call.index, text }]
        : NO_PIECES
    },
    count: () => calls.size,
  }
}
