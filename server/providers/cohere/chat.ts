import { ownMessage } from '../../core/language.ts'
import type { Usage } from '../../core/usage.ts'
import {
  getFunctionCalls,
  getToolFunction,
  moveToolImages,
  readMaxOutputTokens,
  readStopSequences,
  rejectLegacyFunctions,
  toContentParts,
  toImageUrl,
  toPlainText,
} from '../../provider-kit/chat-request.ts'
import type {
  ChatBody,
  ChatChunk,
  ChatMessage,
  ChatReply,
  ContentPart,
  FinishReason,
} from '../../provider-kit/contract/chat.ts'
import {
  type AdapterCall,
  type AdapterResult,
  bearerHeaders,
  type ChatAdapter,
  type NativeAdapter,
  type StreamPiece,
  type StreamReader,
  stringifyBody,
} from '../../provider-kit/contract/operation-adapter.ts'
import { usageFromTotals } from '../../provider-kit/extra-usage.ts'
import {
  type Failure,
  type ResponseHeaders,
  readEmbeddedFailure,
  readFailure,
} from '../../provider-kit/failures.ts'
import { readJsonEvents } from '../../provider-kit/framing/json-events.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { COMPATIBLE_RULES } from '../../provider-kit/openai-compatible/rules.ts'
import { withRules } from '../../provider-kit/rules/chat-rules.ts'
import { invalidRequest, partOfType, TEXT_AND_IMAGES } from '../../provider-kit/validation.ts'

export const chat: ChatAdapter = withRules(
  {
    framing: 'sse',
    request: call => ({
      url: `${call.channel.baseUrl}/v2/chat`,
      headers: bearerHeaders(call),
      body: stringifyBody(toCohereBody(call), call),
    }),
    reply: readReply,
    stream: () => createCohereStreamReader({ readFinish, readUsage }),
    failure: readCohereFailure,
  },
  { ...COMPATIBLE_RULES, names: { illegal: /\W/gu, lengthMax: 64, beginsWithLetter: true }, stopsMax: 5 },
)

/** For clients of Cohere's own API: the body is forwarded unchanged, except for the model. */
export const native: NativeAdapter = {
  ...chat,
  nativeFormat: 'cohere',
  request: call => ({
    url: `${call.channel.baseUrl}/v2/chat`,
    headers: bearerHeaders(call),
    body: stringifyBody({ ...call.body, model: call.model }, call),
  }),
}

/** 498 is Cohere's own status for an invalid or blocked token. */
export function readCohereFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  return status === 498 ? { ...failure, isKeyRevoked: true } : failure
}

/** The finish reasons of a response that Cohere aborted. */
const ABORTED: ReadonlySet<unknown> = new Set(['ERROR', 'ERROR_LIMIT', 'TIMEOUT'])

const abortedFailure = (): Failure => ({
  status: 502,
  code: 'upstream_failed',
  ...ownMessage({ zh: '供应商中止了响应', en: 'the provider aborted the response' }),
  type: 'upstream_error',
})

const FINISH_OF: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
}

const readFinish = (reason: unknown): FinishReason => FINISH_OF[asString(reason) ?? ''] ?? 'stop'

/** The tokens that the model read and wrote. `billed_units` excludes tokens that Cohere does not invoice. */
function readUsage(json: unknown): Usage | undefined {
  const usage = asObject(json)
  const tokens = isObject(usage.tokens) ? usage.tokens : asObject(usage.billed_units)
  return usageFromTotals({
    prompt: asCount(tokens.input_tokens),
    cachedInput: asCount(usage.cached_tokens),
    completion: asCount(tokens.output_tokens),
  })
}

function readReply(json: unknown): AdapterResult<ChatReply> {
  if (!isObject(json) || !isObject(json.message))
    return { kind: 'failure', failure: readEmbeddedFailure(json) }
  if (ABORTED.has(json.finish_reason)) return { kind: 'failure', failure: abortedFailure() }
  const { message } = json
  const blocks = asArray(message.content).map(asObject)
  const calls = asArray(message.tool_calls).map(call => toToolCall(asObject(call)))
  const choice = {
    text: joined(blocks, 'text'),
    reasoning: joined(blocks, 'thinking') || asString(message.tool_plan) || undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
    finish: readFinish(json.finish_reason),
  }
  return { kind: 'reply', reply: { id: asString(json.id), choices: [choice] }, usage: readUsage(json.usage) }
}

const joined = (blocks: readonly JsonObject[], field: 'text' | 'thinking'): string =>
  blocks.map(block => asString(block[field]) ?? '').join('')

function toToolCall(call: JsonObject) {
  const { name, arguments: args } = asObject(call.function)
  return {
    id: asString(call.id) ?? '',
    type: 'function' as const,
    function: { name: asString(name) ?? '', arguments: asString(args) || NO_ARGUMENTS },
  }
}

/** Cohere sends no text for a call without arguments, which clients could not parse. */
const NO_ARGUMENTS = '{}'

type CoherePieces = readonly StreamPiece<ChatChunk>[]
const NO_PIECES: CoherePieces = []

interface CohereStreamState {
  readFinish(reason: unknown): FinishReason
  readUsage(json: unknown): Usage | undefined
}

/** Source: docs.cohere.com/v2/docs/streaming */
function createCohereStreamReader({ readFinish, readUsage }: CohereStreamState): StreamReader<ChatChunk> {
  const calls = createCallReader()
  let usage: Usage | undefined
  let isComplete = false

  const readEvent = (json: JsonObject): CoherePieces => {
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
      case 'tool-call-delta':
      case 'tool-call-end':
        return calls.read(json.type, asCount(json.index), firstCall(message.tool_calls))
      case 'message-end':
        isComplete = true
        usage = readUsage(delta.usage)
        return [readEnd(delta, readFinish)]
      default:
        return NO_PIECES
    }
  }

  return {
    read: readJsonEvents(readEvent),
    end: () => ({ chunks: NO_PIECES, usage, isComplete }),
  }
}

function readEnd(delta: JsonObject, readFinish: CohereStreamState['readFinish']): StreamPiece<ChatChunk> {
  if (delta.error) return { type: 'failure', failure: readEmbeddedFailure(delta) }
  if (ABORTED.has(delta.finish_reason)) return { type: 'failure', failure: abortedFailure() }
  return { type: 'finish', reason: readFinish(delta.finish_reason) }
}

/** The call of an event. Cohere sends an object under a plural name; compatible servers send a list. */
const firstCall = (calls: unknown): JsonObject => asObject(Array.isArray(calls) ? calls[0] : calls)

type CallEvent = 'tool-call-start' | 'tool-call-delta' | 'tool-call-end'

/** Reads the events of tool calls. Cohere counts content and calls together, so calls get an index of their own. */
function createCallReader() {
  const open = new Map<number, { readonly index: number; hasArguments: boolean }>()
  let count = 0
  return {
    read(type: CallEvent, position: number, call: JsonObject): CoherePieces {
      const text = asString(asObject(call.function).arguments) ?? ''
      if (type === 'tool-call-start') {
        const index = count++
        open.set(position, { index, hasArguments: text !== '' })
        return [startCall(call, index)]
      }
      const opened = open.get(position)
      if (!opened) return NO_PIECES
      const added = type === 'tool-call-end' && !opened.hasArguments ? NO_ARGUMENTS : text
      opened.hasArguments ||= added !== ''
      return added === '' ? NO_PIECES : [{ type: 'tool-arguments-delta', index: opened.index, text: added }]
    },
  }
}

function readContent(content: JsonObject): CoherePieces {
  const text = asString(content.text)
  const reasoning = asString(content.thinking)
  if (reasoning) return [{ type: 'reasoning-delta', text: reasoning }]
  return text ? [{ type: 'text-delta', text }] : NO_PIECES
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

const CHOICE_OF: Readonly<Record<string, string>> = { required: 'REQUIRED', none: 'NONE' }

/**
 * Builds a chat body. Cohere rejects unknown fields, so fields without a counterpart are dropped. Source:
 * docs.cohere.com/reference/chat
 */
function toCohereBody({ body, model, isStream }: AdapterCall<ChatBody>): JsonObject {
  rejectLegacyFunctions(body)
  const tools = (body.tools ?? []).map(tool => ({
    type: 'function',
    function: toFunction(getToolFunction(tool)),
  }))
  const choice = body.tool_choice ?? 'auto'
  return {
    model,
    stream: isStream,
    messages: moveToolImages(body.messages).map(toMessage),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? CHOICE_OF[typeof choice === 'string' ? choice : 'required'] : undefined,
    response_format: toFormat(body),
    thinking: toThinking(body),
    max_tokens: readMaxOutputTokens(body),
    stop_sequences: readStopSequences(body),
    temperature: within(body.temperature),
    p: body.top_p ?? undefined,
    k: body.top_k ?? undefined,
    seed: body.seed ?? undefined,
    frequency_penalty: within(body.frequency_penalty),
    presence_penalty: within(body.presence_penalty),
    safety_mode: body.safety_mode ?? undefined,
  }
}

/** Clamps to the range from 0 to 1. */
const within = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.min(Math.max(value, 0), 1) : undefined

const toFunction = ({ name, description, parameters }: ReturnType<typeof getToolFunction>): JsonObject => ({
  name,
  description,
  parameters: parameters ?? { type: 'object', properties: {} },
})

function toMessage(message: ChatMessage): JsonObject {
  const { role, content } = message
  if (role === 'tool') return { role, tool_call_id: message.tool_call_id, content: toPlainText(content) }
  if (role === 'assistant') return toAssistant(message)
  if (role !== 'user') return { role: 'system', content: toPlainText(content) }
  const parts = toContentParts(content)
  const isPlain = parts.every(part => part.type === 'text')
  return { role, content: isPlain ? toPlainText(content) : parts.map(toPart) }
}

/** Reasoning before tool calls is Cohere's `tool_plan`. */
function toAssistant(message: ChatMessage): JsonObject {
  const calls = getFunctionCalls(message).map(({ id, function: called }) => ({
    id,
    type: 'function',
    function: { name: called.name, arguments: called.arguments },
  }))
  const text = toPlainText(message.content)
  if (calls.length === 0) return { role: 'assistant', content: text }
  return { role: 'assistant', tool_plan: message.reasoning_content || text || undefined, tool_calls: calls }
}

function toPart(part: ContentPart): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'image_url') return { type: 'image_url', image_url: { url: toImageUrl(part.image_url) } }
  return invalidRequest('messages', partOfType(part.type), TEXT_AND_IMAGES)
}

function toFormat({ response_format: format }: ChatBody): JsonObject | undefined {
  if (format?.type === 'json_schema')
    return { type: 'json_object', schema: format.json_schema.schema ?? undefined }
  return format?.type === 'json_object' ? { type: 'json_object' } : undefined
}

function toThinking({ reasoning_effort: effort }: ChatBody): JsonObject | undefined {
  if (!effort) return undefined
  return { type: effort === 'none' ? 'disabled' : 'enabled' }
}
