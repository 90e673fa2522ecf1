import { ownMessage } from '../../core/language.ts'
import type { ExtraUsage, Usage } from '../../core/usage.ts'
import type { ChatChoice, ChatChunk, FinishReason, UrlCitation, WebSearch } from '../contract/chat.ts'
import type { StreamPiece, StreamReader } from '../contract/operation-adapter.ts'
import {
  readChatExtras,
  readInputParts,
  usageFromTotals,
  withExtras,
  withWebSearches,
} from '../extra-usage.ts'
import { type Failure, invalidJsonFailure } from '../failures.ts'
import {
  asArray,
  asCount,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitNullish,
  parseJson,
} from '../json.ts'
import { readLogprobs } from '../logprobs.ts'
import { orUndefined, readSources, readUrlCitation } from '../web-citations.ts'
import {
  type CallMender,
  type CallReader,
  createCallReader,
  createMessageMender,
  listCalls,
  readMessageCalls,
  type UniqueCallIds,
} from './tool-calls.ts'

/** Reads one choice of a complete response. `toCallId` gives its calls their ids. */
export function readChoice(json: unknown, toCallId: UniqueCallIds): ChatChoice {
  const choice = asObject(json)
  const message = asObject(choice.message)
  const index = asCount(choice.index)
  const toolCalls = readMessageCalls(message, (sent, call) => toCallId(sent, index, call))
  return {
    text: readText(message) || (asString(asObject(message.audio).transcript) ?? ''),
    reasoning: readReasoning(message),
    reasoningSignature: asString(message.reasoning_signature),
    refusal: asString(message.refusal),
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    ...omitNullish({
      citations: orUndefined(readCitations(message)),
      logprobs: readLogprobs(choice.logprobs),
    }),
    finish: readFinish(choice.finish_reason) ?? 'stop',
  }
}

const readCitations = ({ annotations }: JsonObject): readonly UrlCitation[] =>
  asArray(annotations).flatMap(annotation => readUrlCitation(asObject(asObject(annotation).url_citation)))

/**
 * The pages that Perplexity and Zhipu found, which stand beside the choices. Source: docs.perplexity.ai/api-reference,
 * docs.bigmodel.cn/api-reference
 */
export function readSearch({ search_results, web_search }: JsonObject): WebSearch | undefined {
  if (search_results === undefined && web_search === undefined) return undefined
  const sources = [...readSources(search_results), ...readSources(web_search, 'link')]
  return sources.length > 0 ? { queries: [], sources } : undefined
}

/** Content is a text or, at Mistral, a list of parts. Images have no canonical form and follow as Markdown. */
export function readText({ content, images }: JsonObject): string {
  const text = asString(content) ?? joinTexts(content)
  return images === undefined ? text : text + asArray(images).map(toMarkdown).join('')
}

/** Images as OpenRouter returns them. Source: openrouter.ai/docs/features/multimodal/image-generation */
function toMarkdown(json: unknown): string {
  const url = asString(asObject(asObject(json).image_url).url)
  return url ? `![image](${url})` : ''
}

/** Servers repeat one text under several of these names, so the first with a text counts. */
const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking', 'reasoning_details']

/** Reasoning text: under one of several names or, at Mistral and others, inside the content parts. */
export function readReasoning(message: JsonObject): string | undefined {
  for (const field of REASONING_FIELDS) {
    const value = message[field]
    if (!value) continue
    const text = asString(value) ?? [value].flat().map(readThought).join('')
    if (text !== '') return text
  }
  return (Array.isArray(message.content) && message.content.map(readThinkingPart).join('')) || undefined
}

/** A detail as OpenRouter lists it, or the only one. Sealed ones have no text. */
function readThought(json: unknown): string {
  const { text, summary, content } = asObject(json)
  return asString(text) ?? asString(summary) ?? asString(content) ?? ''
}

function readThinkingPart(json: unknown): string {
  const { type, thinking, text } = asObject(json)
  if (type !== 'thinking' && type !== 'reasoning') return ''
  return asString(thinking) ?? asString(text) ?? joinTexts(thinking)
}

const joinTexts = (parts: unknown): string => asArray(parts).map(partText).join('')

function partText(json: unknown): string {
  const part = asObject(json)
  return part.type === 'text' ? (asString(part.text) ?? '') : ''
}

/** Providers' names of OpenAI's finish reasons. Source: the providers' API references. */
const PROVIDER_FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  eos: 'stop',
  sensitive: 'content_filter',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  insufficient_system_resource: 'length',
}

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  ...PROVIDER_FINISH_REASONS,
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
}

/** Undefined while the response continues. Unknown reasons count as a regular stop. */
export function readFinish(value: unknown): FinishReason | undefined {
  const reason = asString(value)
  return reason ? (FINISH_REASONS[reason] ?? 'stop') : undefined
}

type ChatPiece = StreamPiece<ChatChunk>
const NO_PIECES: readonly ChatPiece[] = []

/** How one provider's responses and chunks are read. */
export interface ChatResponseReaders {
  readonly readUsage: (json: JsonObject) => Usage | undefined
  readonly readFailure: (json: JsonObject) => Failure | undefined
  /** Undefined when the new content is in `delta`. */
  readonly readDelta?: (choice: JsonObject) => JsonObject
}

/** Reads `chat.completion.chunk` events. Keeps the open tool calls, usage, and whether the end was seen. */
export function createChatStreamReader(
  { readUsage, readFailure, readDelta = choice => asObject(choice.delta) }: ChatResponseReaders,
  requestId: string,
): StreamReader<ChatChunk> {
  const readCall = createCallReader(requestId)
  let usage: Usage | undefined
  const contentCounter = createContentCounter()
  let isStarted = false
  let isComplete = false
  const searches = createSearchPieces()

  const readChunk = (json: JsonObject): readonly ChatPiece[] => {
    const pieces: ChatPiece[] = []
    const choices = asArray(json.choices)
    if (!isStarted && choices.length > 0) {
      isStarted = true
      pieces.push({
        type: 'start',
        id: asString(json.id) || undefined,
        model: asString(json.model) || undefined,
      })
    }
    pieces.push(...searches(json))
    for (const choice of choices.map(asObject))
      if (!repeatsResponse(choice)) readChoiceDelta(choice, readDelta(choice), readCall, pieces)
    isComplete ||= pieces.some(isFinish)
    return pieces
  }

  return {
    read({ data }) {
      if (data === '') return NO_PIECES
      if (data === '[DONE]') {
        isComplete = true
        return NO_PIECES
      }
      const json = parseJson(data)
      if (!isObject(json)) return [{ type: 'failure', failure: invalidJsonFailure() }]
      const failure = readFailure(json)
      if (failure) return [{ type: 'failure', failure }]
      usage = withChatExtras(readUsage(json), json) ?? usage
      contentCounter.add(json)
      return readChunk(json)
    },
    end: () => ({ chunks: NO_PIECES, usage: contentCounter.addTo(usage), isComplete }),
  }
}

/** The pages of a search once: Perplexity repeats them in every chunk. */
function createSearchPieces(): (json: JsonObject) => readonly ChatPiece[] {
  let hasSearch = false
  return json => {
    const search = hasSearch ? undefined : readSearch(json)
    hasSearch ||= search !== undefined
    return search ? [{ type: 'web-search', search }] : NO_PIECES
  }
}

const isFinish = ({ type }: ChatPiece): boolean => type === 'finish'

/** A choice with a message instead of a delta repeats the complete response. */
const repeatsResponse = (choice: JsonObject): boolean => isObject(choice.message) && !isObject(choice.delta)

function readChoiceDelta(
  json: JsonObject,
  delta: JsonObject,
  readCall: CallReader,
  pieces: ChatPiece[],
): void {
  const choice = typeof json.index === 'number' ? json.index : 0
  const reasoning = readReasoning(delta)
  const signature = asString(delta.reasoning_signature)
  const text = readText(delta)
  const refusal = asString(delta.refusal)
  if (reasoning) pieces.push({ type: 'reasoning-delta', text: reasoning, choice })
  if (signature) pieces.push({ type: 'reasoning-signature', signature, choice })
  const logprobs = json.logprobs ? readLogprobs(json.logprobs) : undefined
  if (text) pieces.push({ type: 'text-delta', text, choice, ...(logprobs && { logprobs }) })
  if (refusal) pieces.push({ type: 'refusal-delta', text: refusal, choice })
  for (const citation of readCitations(delta)) pieces.push({ type: 'citation', citation, choice })
  if (isObject(delta.audio))
    pieces.push({
      type: 'audio-delta',
      text: asString(delta.audio.transcript) ?? '',
      audio: delta.audio,
      choice,
    })
  for (const call of listCalls(delta)) pieces.push(...readCall(call, choice))
  const reason = readFinish(json.finish_reason)
  if (reason) pieces.push({ type: 'finish', reason, choice })
}

/** DeepSeek, Moonshot and Mistral report cached tokens at the top level, each under its own name. */
const topLevelCachedTokens = (usage: JsonObject): number =>
  asCount(usage.prompt_cache_hit_tokens) || asCount(usage.cached_tokens) || asCount(usage.num_cached_tokens)

/** The usage object of a response or chunk. Moonshot puts it into the last chunk's choice, Groq into its own field. */
export const findUsage = ({ usage, choices, x_groq }: JsonObject): JsonObject | undefined =>
  [usage, asObject(asArray(choices)[0]).usage, asObject(x_groq).usage].find(isObject)

/** Usage of a response or chunk with OpenAI's field names. */
export const readResponseUsage = (json: JsonObject): Usage | undefined => readOpenaiUsage(findUsage(json))

/** Adds what is not counted in tokens to the usage of a response or chunk. */
export const withChatExtras = (usage: Usage | undefined, json: JsonObject): Usage | undefined =>
  usage && withReported(usage, readChatExtras(json, findUsage(json) ?? NO_FIELDS))

/** A number that the provider reports counts before one that only shows that it searched. */
const withReported = (usage: Usage, extras: ExtraUsage | undefined): Usage | undefined =>
  withExtras(usage, extras && { ...extras, webSearches: usage.webSearches || (extras.webSearches ?? 0) })

const NO_FIELDS: JsonObject = {}
/** The tool that Moonshot runs. Source: platform.moonshot.cn/docs/guide/use-web-search */
const BUILT_IN_SEARCH = '$web_search'

/**
 * What usage does not count: searches (each of Moonshot's tool calls, and one for the pages that Zhipu returns or the
 * citations of OpenAI's search models, which may come in several chunks), and that output is an image.
 */
export function createContentCounter() {
  let calls = 0
  let hasFound = false
  let hasImage = false
  const addMessage = ({ message, delta }: JsonObject): void => {
    const { tool_calls, annotations, images } = asObject(message ?? delta)
    if (Array.isArray(images)) hasImage ||= images.length > 0
    if (Array.isArray(tool_calls)) calls += tool_calls.filter(isBuiltInSearch).length
    if (Array.isArray(annotations)) hasFound ||= annotations.some(isUrlCitation)
  }
  return {
    add({ choices, web_search }: JsonObject): void {
      hasFound ||= Array.isArray(web_search) && web_search.length > 0
      if (Array.isArray(choices)) for (const choice of choices) addMessage(asObject(choice))
    },
    addTo(usage: Usage | undefined): Usage | undefined {
      const webSearches = calls || (hasFound ? 1 : 0)
      const counted = hasImage && usage?.imageOutput === 0 ? asImageOutput(usage) : usage
      return counted && webSearches > 0 && counted.webSearches === 0 ? { ...counted, webSearches } : counted
    },
  }
}

const asImageOutput = (usage: Usage): Usage => ({ ...usage, output: 0, imageOutput: usage.output })

const isBuiltInSearch = (call: unknown): boolean => asObject(asObject(call).function).name === BUILT_IN_SEARCH

const isUrlCitation = (annotation: unknown): boolean => asObject(annotation).type === 'url_citation'

/**
 * Reads `usage` with OpenAI's field names. Source:
 * platform.openai.com/docs/api-reference/chat/object#chat-object-usage
 */
export function readOpenaiUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  const sent = readInputParts(asObject(json.prompt_tokens_details))
  const made = asObject(json.completion_tokens_details)
  const completion = asCount(json.completion_tokens)
  const usage = usageFromTotals({
    prompt: asCount(json.prompt_tokens) || Math.max(asCount(json.total_tokens) - completion, 0),
    ...sent,
    cachedInput: sent.cachedInput || topLevelCachedTokens(json),
    completion,
    reasoning: asCount(made.reasoning_tokens),
    audioOutput: asCount(made.audio_tokens),
    imageOutput: asCount(made.image_tokens),
    total: asCount(json.total_tokens),
  })
  return withWebSearches(usage, readWebSearches(json))
}

/** Perplexity, OpenRouter and Ali report searches in usage, each under its own name. Source: their API references. */
const readWebSearches = ({ num_search_queries, server_tool_use, plugins }: JsonObject): number =>
  asCount(num_search_queries) ||
  asCount(asObject(server_tool_use).web_search_requests) ||
  asCount(asObject(asObject(plugins).search).count)

/** Mistral and OpenRouter send `error`, Zhipu `network_error`. */
const INTERRUPTED: ReadonlySet<unknown> = new Set(['error', 'network_error'])

/** The failure of a response that the provider aborted, which it reports as a finish reason. */
export function readInterruptedFailure({ choices }: JsonObject): Failure | undefined {
  const interrupted = asArray(choices).find(choice => INTERRUPTED.has(asObject(choice).finish_reason))
  if (!interrupted) return undefined
  return {
    status: 502,
    code: asString(asObject(interrupted).finish_reason) ?? '',
    ...ownMessage({ zh: '供应商中止了响应', en: 'the provider aborted the response' }),
    type: 'upstream_error',
  }
}

/** Whether an event may hold one of the deviations that `toOpenaiNames` removes, or usage. */
export const MAY_DEVIATE = new RegExp(
  `"(?:tool_calls"|usage"\\s*:\\s*\\{|finish_reason"\\s*:\\s*"(?:${Object.keys(PROVIDER_FINISH_REASONS).join('|')})")`,
)

/**
 * A response or chunk in OpenAI's format as OpenAI's clients know it: usage at the top level with cached tokens among its
 * details, OpenAI's finish reasons, and calls that can be told apart. The same object when it deviates in nothing.
 */
export function toOpenaiNames(json: JsonObject, mendCalls: CallMender): JsonObject {
  const usage = withCachedDetails(findUsage(json))
  const choices = asArray(json.choices)
  const standard = choices.map(choice => toOpenaiChoice(asObject(choice), mendCalls))
  const hasDeviation = standard.some((choice, index) => choice !== choices[index])
  if (usage === (json.usage ?? undefined) && !hasDeviation) return json
  return { ...json, ...(hasDeviation && { choices: standard }), ...(usage && { usage }) }
}

/** For complete responses. */
export const toOpenaiReply = (json: JsonObject, requestId: string): JsonObject =>
  toOpenaiNames(json, createMessageMender(requestId))

function withCachedDetails(usage: JsonObject | undefined): JsonObject | undefined {
  if (!usage) return undefined
  const details = asObject(usage.prompt_tokens_details)
  const cached = topLevelCachedTokens(usage)
  if (cached === 0 || asCount(details.cached_tokens) > 0) return usage
  return { ...usage, prompt_tokens_details: { ...details, cached_tokens: cached } }
}

const providerFinish = (choice: JsonObject): FinishReason | undefined =>
  PROVIDER_FINISH_REASONS[asString(choice.finish_reason) ?? '']

function toOpenaiChoice(choice: JsonObject, mendCalls: CallMender): JsonObject {
  const field = isObject(choice.delta) ? 'delta' : 'message'
  const content = asObject(choice[field])
  const mended = content.tool_calls ? mendCalls(content, asCount(choice.index)) : content
  const finish = providerFinish(choice)
  if (mended === content && finish === undefined && choice.usage === undefined) return choice
  const { usage, ...rest } = choice
  return {
    ...rest,
    ...(mended !== content && { [field]: mended }),
    finish_reason: finish ?? choice.finish_reason,
  }
}
