import { toHandle } from '../../core/ids.ts'
import { completionTokens, type ExtraUsage, NO_USAGE, promptTokens, type Usage } from '../../core/usage.ts'
import type { ChatChunk, ChatReply, FinishReason, ToolCall } from '../contract/chat.ts'
import type { AdapterResult, StreamPiece, StreamReader } from '../contract/operation-adapter.ts'
import { stringifyExact } from '../exact-numbers.ts'
import { mergeExtras, readAnthropicExtras, toExtras, withExtras } from '../extra-usage.ts'
import { readEmbeddedFailure } from '../failures.ts'
import { readJsonEvents } from '../framing/json-events.ts'
import { readAccountIds } from '../hosted-tools.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from '../json.ts'
import { createSearchReader, readSearches } from './searches.ts'

const FINISH_OF: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** Maps Claude's `stop_reason`. Unknown reasons count as a regular stop. */
export const readFinish = (reason: unknown): FinishReason => FINISH_OF[asString(reason) ?? ''] ?? 'stop'

/** Whether JSON is a complete Messages API response. */
export const isMessage = (json: unknown): json is JsonObject => isObject(json) && Array.isArray(json.content)

/** Blocks of Claude's own tools and redacted thinking have no canonical form and are dropped. */
export function readReply(json: unknown, keepsThread = false): AdapterResult<ChatReply> {
  if (!isMessage(json)) return { kind: 'failure', failure: readEmbeddedFailure(json) }
  const blocks = asArray(json.content).map(asObject)
  const toolCalls = blocks.filter(({ type }) => type === 'tool_use').map(toToolCall)
  // Signatures are for one thought each, whose texts are one after the translation.
  const [thought, ...others] = blocks.filter(({ type }) => type === 'thinking')
  const choice = {
    text: joinField(blocks, 'text', 'text'),
    reasoning: joinField(blocks, 'thinking', 'thinking') || undefined,
    reasoningSignature: others.length > 0 ? undefined : asString(thought?.signature) || undefined,
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    ...readSearches(blocks),
    finish: readFinish(json.stop_reason),
  }
  const reply = { id: asString(json.id), model: asString(json.model), choices: [choice] }
  const handles = readHandles([json, ...blocks], keepsThread)
  return {
    kind: 'reply',
    reply,
    usage: readAnthropicUsage(json.usage),
    ...(handles.length > 0 && { handles }),
  }
}

/** The containers and files that parts of a response name, and its own id where that is the name of a thread. */
const readHandles = (parts: readonly JsonObject[], keepsThread = false): readonly string[] => {
  const id = keepsThread ? asString(parts[0]?.id) : undefined
  const ids = parts.flatMap(({ container, content }) => readAccountIds({ container, content }))
  return (id === undefined ? ids : [...ids, id]).map(toHandle)
}

const joinField = (blocks: readonly JsonObject[], type: string, field: string): string =>
  blocks
    .filter(block => block.type === type)
    .map(block => asString(block[field]) ?? '')
    .join('')

const toToolCall = (block: JsonObject): ToolCall => ({
  id: asString(block.id) ?? '',
  type: 'function',
  function: { name: asString(block.name) ?? '', arguments: stringifyExact(block.input ?? {}) },
})

/**
 * Claude reports cache reads and writes next to the input tokens, not inside them, and how many of the written tokens
 * are kept for an hour. Source: docs.anthropic.com, prompt caching
 */
export function readAnthropicUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  const webSearches = asCount(asObject(json.server_tool_use).web_search_requests)
  const usage: Usage = { ...NO_USAGE, ...readTokens(json), webSearches }
  const calls = readIterations(asArray(json.iterations).filter(isObject))
  if (promptTokens(usage) + completionTokens(usage) <= 0 && !calls?.otherModels) return undefined
  return withExtras(usage, mergeExtras(readAnthropicExtras(json), calls))
}

function readTokens(json: JsonObject) {
  const made = asCount(json.output_tokens)
  const reasoning = Math.min(asCount(asObject(json.output_tokens_details).thinking_tokens), made)
  const written = asCount(json.cache_creation_input_tokens)
  const forAnHour = Math.min(asCount(asObject(json.cache_creation).ephemeral_1h_input_tokens), written)
  return {
    input: asCount(json.input_tokens),
    cachedInput: asCount(json.cache_read_input_tokens),
    cacheWrite: written - forAnHour,
    cacheWriteHour: forAnHour,
    output: made - reasoning,
    reasoning,
  }
}

/** Entries that the totals contain. Source: `BetaIterationsUsage` of Anthropic's SDK */
const COUNTED_CALLS: ReadonlySet<unknown> = new Set(['message', 'fallback_message'])

/**
 * The calls of a response that the totals leave out: compactions, and those of an advisor, which is another model. The one of a
 * fallback names the model that served.
 */
function readIterations(calls: readonly JsonObject[]): ExtraUsage | undefined {
  const otherModels = calls
    .filter(({ type }) => !COUNTED_CALLS.has(type))
    .map(call => ({ model: asString(call.model), usage: readTokens(call) }))
  const servedModel = asString(calls.findLast(({ type }) => type === 'fallback_message')?.model)
  return toExtras({ servedModel, otherModels: otherModels.length > 0 ? otherModels : undefined })
}

type AnthropicPieces = readonly StreamPiece<ChatChunk>[]
const NO_PIECES: AnthropicPieces = []

/** Reads Claude's named events. Source: docs.claude.com/en/docs/build-with-claude/streaming */
export function createAnthropicStreamReader(keepsThread = false): StreamReader<ChatChunk> {
  const tools = openToolBlocks()
  const searches = createSearchReader()
  const handles: string[] = []
  let usage: JsonObject = {}
  let isComplete = false

  const readEvent = (json: JsonObject): AnthropicPieces => {
    switch (json.type) {
      case 'message_start': {
        const message = asObject(json.message)
        handles.push(...readHandles([message], keepsThread))
        usage = { ...asObject(message.usage) }
        return [{ type: 'start', id: asString(message.id), model: asString(message.model) }]
      }
      case 'content_block_start':
        handles.push(...readHandles([asObject(json.content_block)]))
        return [...readBlockStart(json, tools), ...searches.start(asObject(json.content_block))]
      case 'content_block_delta':
        searches.add(asObject(json.delta))
        return readBlockDelta(json, tools)
      case 'content_block_stop':
        return [...tools.close(asCount(json.index)), ...searches.stop()]
      case 'message_delta': {
        usage = { ...usage, ...asObject(json.usage) }
        const reason = asObject(json.delta).stop_reason
        handles.push(...readHandles([asObject(json.delta)]))
        isComplete ||= Boolean(reason)
        return reason ? [{ type: 'finish', reason: readFinish(reason) }] : NO_PIECES
      }
      case 'message_stop':
        isComplete = true
        return NO_PIECES
      case 'error':
        return [{ type: 'failure', failure: readEmbeddedFailure(json) }]
      default:
        return NO_PIECES
    }
  }

  return {
    read: readJsonEvents(readEvent),
    end: () => ({
      chunks: NO_PIECES,
      usage: readAnthropicUsage(usage),
      isComplete,
      ...(handles.length > 0 && { handles }),
    }),
  }
}

function readBlockStart(json: JsonObject, tools: ToolBlocks): AnthropicPieces {
  const block = asObject(json.content_block)
  if (block.type === 'tool_use') return [tools.open(asCount(json.index), block)]
  if (block.type === 'text') return textPiece('text-delta', block.text)
  return block.type === 'thinking' ? textPiece('reasoning-delta', block.thinking) : NO_PIECES
}

function readBlockDelta(json: JsonObject, tools: ToolBlocks): AnthropicPieces {
  const delta = asObject(json.delta)
  switch (delta.type) {
    case 'text_delta':
      return textPiece('text-delta', delta.text)
    case 'thinking_delta':
      return textPiece('reasoning-delta', delta.thinking)
    case 'signature_delta':
      return typeof delta.signature === 'string'
        ? [{ type: 'reasoning-signature', signature: delta.signature }]
        : NO_PIECES
    case 'input_json_delta':
      return tools.add(asCount(json.index), asString(delta.partial_json) ?? '')
    default:
      return NO_PIECES
  }
}

const textPiece = (type: 'text-delta' | 'reasoning-delta', value: unknown): AnthropicPieces => {
  const text = asString(value)
  return text ? [{ type, text }] : NO_PIECES
}

/**
 * Numbers tool calls from 0, independent of their blocks' indexes, and gives calls without input an empty object.
 * Input of Claude's own tools becomes an unmapped delta.
 */
interface ToolBlocks {
  open(block: number, json: JsonObject): StreamPiece<ChatChunk>
  add(block: number, text: string): AnthropicPieces
  close(block: number): AnthropicPieces
}

function openToolBlocks(): ToolBlocks {
  const calls = new Map<number, { readonly index: number; hasInput: boolean }>()
  return {
    open(block, json) {
      const index = calls.size
      calls.set(block, { index, hasInput: false })
      return {
        type: 'tool-call-start',
        index,
        id: asString(json.id) ?? '',
        name: asString(json.name) ?? '',
        arguments: '',
      }
    },
    add(block, text) {
      const call = calls.get(block)
      if (text === '') return NO_PIECES
      if (!call) return [{ type: 'unmapped-delta', text }]
      call.hasInput = true
      return [{ type: 'tool-arguments-delta', index: call.index, text }]
    },
    close(block) {
      const call = calls.get(block)
      return call && !call.hasInput
        ? [{ type: 'tool-arguments-delta', index: call.index, text: '{}' }]
        : NO_PIECES
    },
  }
}
