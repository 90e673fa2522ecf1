import { toHandle } from '../../core/ids.ts'
import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, ChatReply, FinishReason } from '../contract/chat.ts'
import type { AdapterResult, StreamEnd, StreamPiece, StreamReader } from '../contract/operation-adapter.ts'
import {
  countCalls,
  findUnknownFields,
  readServiceTier,
  toExtras,
  tokensOf,
  usageFromTotals,
  withExtras,
} from '../extra-usage.ts'
import { readJsonEvents } from '../framing/json-events.ts'
import { readGeminiError } from '../gemini-generate/failure.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from '../json.ts'

const FINISHES: Readonly<Record<string, FinishReason>> = {
  requires_action: 'tool_calls',
  incomplete: 'length',
  budget_exceeded: 'length',
}

const readFinish = (status: unknown): FinishReason => FINISHES[String(status)] ?? 'stop'

/** Reads an interaction for its usage and its failure; its bytes are what the client gets. */
export function readInteraction(json: unknown): AdapterResult<ChatReply> {
  if (!isObject(json) || json.error || !asString(json.id) || json.status === 'failed')
    return { kind: 'failure', failure: readGeminiError(toFailed(json)) }
  const steps = asArray(json.steps).map(asObject)
  const textOf = (type: string, field: string): string =>
    steps
      .filter(step => step.type === type)
      .flatMap(step => asArray(step[field]))
      .map(part => textOfContent(asObject(part)))
      .join('')
  const calls = steps.filter(({ type }) => type === 'function_call')
  const choice = {
    text: textOf('model_output', 'content'),
    reasoning: textOf('thought', 'summary') || undefined,
    toolCalls: calls.map(({ id, name, arguments: args }) => ({
      id: asString(id) ?? '',
      type: 'function' as const,
      function: { name: asString(name) ?? '', arguments: JSON.stringify(args ?? {}) },
    })),
    finish: readFinish(json.status),
  }
  const usage = withExtras(
    readInteractionUsage(json.usage),
    readInteractionExtras(json, countSearches(steps)),
  )
  return {
    kind: 'reply',
    reply: { id: asString(json.id), model: asString(json.model), choices: [choice] },
    usage,
    handles: readHandles(json),
  }
}

/** An interaction is continued by its id, or by a token where it is not done. */
const readHandles = ({ id, continuation_token: token }: JsonObject): readonly string[] =>
  [id, token].flatMap(value => (typeof value === 'string' && value !== '' ? [toHandle(value)] : []))

/** A failed interaction has its errors in a list. */
function toFailed(json: unknown): unknown {
  if (!isObject(json) || json.error) return json
  const [error] = asArray(json.errors)
  return { error: error ?? { message: `the interaction is ${asString(json.status) ?? 'not complete'}` } }
}

/** Other content stands for itself, as output that counts. */
const textOfContent = ({ type, text }: JsonObject): string => asString(text) ?? `[${asString(type) ?? ''}]`

/** Searches that the provider ran; Google charges for no empty query. */
const countSearches = (steps: readonly JsonObject[]): number =>
  steps
    .filter(({ type }) => type === 'google_search_call')
    .flatMap(step => asArray(asObject(step.arguments).queries))
    .filter(Boolean).length

/** What the sum of a usage holds beside input and output: thoughts, and what tools brought, unless they are inside. */
function readSeparate(json: JsonObject) {
  const [reasoning, brought] = [asCount(json.total_thought_tokens), asCount(json.total_tool_use_tokens)]
  const sum = asCount(json.total_tokens)
  const rest = sum - asCount(json.total_input_tokens) - asCount(json.total_output_tokens)
  if (sum === 0 || rest >= reasoning + brought) return { reasoning, thoughts: reasoning, brought }
  return { reasoning, thoughts: rest === reasoning ? reasoning : 0, brought: rest === brought ? brought : 0 }
}

/** Reads `Usage` of the SDK's interactions. Cached tokens are inside the input. */
export function readInteractionUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  const { reasoning, thoughts, brought } = readSeparate(json)
  const sent = (modality: 'AUDIO' | 'IMAGE'): number =>
    tokensOf(json.input_tokens_by_modality, modality) + tokensOf(json.tool_use_tokens_by_modality, modality)
  return usageFromTotals({
    prompt: asCount(json.total_input_tokens) + brought,
    cachedInput: asCount(json.total_cached_tokens),
    cachedAudio: tokensOf(json.cached_tokens_by_modality, 'AUDIO'),
    cachedImage: tokensOf(json.cached_tokens_by_modality, 'IMAGE'),
    audioInput: sent('AUDIO'),
    imageInput: sent('IMAGE'),
    completion: asCount(json.total_output_tokens) + thoughts,
    reasoning,
    audioOutput: tokensOf(json.output_tokens_by_modality, 'AUDIO'),
    imageOutput: tokensOf(json.output_tokens_by_modality, 'IMAGE'),
  })
}

/** Tools that Google counts, by the name under which price lists have them. */
const TOOL_NAMES: Readonly<Record<string, string>> = { google_maps: 'maps', retrieval: 'file_search' }

/** `searches`: what the steps show, for a usage that does not count them. */
export function readInteractionExtras(interaction: JsonObject, searches = 0) {
  const usage = asObject(interaction.usage)
  const counts = asArray(usage.grounding_tool_count).map(asObject)
  const countOf = (type: string): number => asCount(counts.find(one => one.type === type)?.count)
  const unknown = counts.find(({ type }) => type !== SEARCH && !Object.hasOwn(TOOL_NAMES, String(type)))
  const unknownFields = [
    ...(findUnknownFields(usage) ?? []),
    ...(unknown ? [`grounding_tool_count.${String(unknown.type).slice(0, TYPE_CHARS_MAX)}`] : []),
  ]
  return toExtras({
    serviceTier: readServiceTier(interaction.service_tier),
    webSearches: counts.length > 0 ? countOf(SEARCH) : searches,
    toolCalls: countCalls(
      Object.fromEntries(Object.entries(TOOL_NAMES).map(([type, name]) => [name, countOf(type)])),
    ),
    unknownFields: unknownFields.length > 0 ? unknownFields : undefined,
  })
}

const SEARCH = 'google_search'
const TYPE_CHARS_MAX = 64

type InteractionPieces = readonly StreamPiece<ChatChunk>[]
const NO_PIECES: InteractionPieces = []

/** Reads the named events. Source: ai.google.dev/api/interactions-api, streaming */
export class InteractionReader implements StreamReader<ChatChunk> {
  private readonly handles: string[] = []
  /** The calls by the numbers of their steps. */
  private readonly calls = new Map<unknown, number>()
  private interaction: JsonObject = {}
  private searches = 0
  private isComplete = false

  readonly read = readJsonEvents<ChatChunk>(json => this.readEvent(json))

  end(): StreamEnd<ChatChunk> {
    const { interaction, handles, isComplete } = this
    const extras = readInteractionExtras(interaction, this.searches)
    return {
      chunks: NO_PIECES,
      usage: withExtras(readInteractionUsage(interaction.usage), extras),
      isComplete,
      handles,
    }
  }

  private readEvent(json: JsonObject): InteractionPieces {
    const { usage = asObject(json.metadata).total_usage } = json
    if (isObject(usage)) this.interaction = { ...this.interaction, usage }
    this.handles.push(...readHandles({ continuation_token: json.continuation_token }))
    switch (json.event_type) {
      case 'interaction.created':
        return this.readCreated(asObject(json.interaction))
      case 'interaction.completed':
        return this.readCompleted(asObject(json.interaction))
      case 'step.start':
        return this.readStart(json.index, asObject(json.step))
      case 'step.delta':
        return this.readDelta(json.index, asObject(json.delta))
      case 'error':
        return [{ type: 'failure', failure: readGeminiError(json) }]
      default:
        return NO_PIECES
    }
  }

  private readCreated(created: JsonObject): InteractionPieces {
    this.interaction = { ...this.interaction, ...created }
    this.handles.push(...readHandles(created))
    return [{ type: 'start', id: asString(created.id), model: asString(created.model) }]
  }

  private readCompleted(completed: JsonObject): InteractionPieces {
    this.interaction = { ...this.interaction, ...completed }
    this.handles.push(...readHandles({ continuation_token: completed.continuation_token }))
    if (completed.status === 'failed')
      return [{ type: 'failure', failure: readGeminiError(toFailed(completed)) }]
    this.isComplete = true
    return [{ type: 'finish', reason: readFinish(completed.status) }]
  }

  private readStart(index: unknown, step: JsonObject): InteractionPieces {
    this.searches += countSearches([step])
    if (step.type !== 'function_call') return NO_PIECES
    const call = this.calls.size
    this.calls.set(index, call)
    const name = asString(step.name) ?? ''
    return [{ type: 'tool-call-start', index: call, id: asString(step.id) ?? '', name, arguments: '' }]
  }

  private readDelta(index: unknown, delta: JsonObject): InteractionPieces {
    switch (delta.type) {
      case 'text':
        return [{ type: 'text-delta', text: asString(delta.text) ?? '' }]
      case 'thought_summary':
        return [{ type: 'reasoning-delta', text: textOfContent(asObject(delta.content)) }]
      case 'arguments_delta': {
        const text = asString(delta.arguments) ?? ''
        return [{ type: 'tool-arguments-delta', index: this.calls.get(index) ?? 0, text }]
      }
      case 'google_search_call':
        this.searches += countSearches([delta])
        return NO_PIECES
      case 'thought_signature':
      case 'text_annotation_delta':
        return NO_PIECES
      default:
        return [{ type: 'unmapped-delta', text: textOfContent(delta) }]
    }
  }
}
