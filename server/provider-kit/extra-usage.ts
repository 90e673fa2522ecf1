import {
  CONTAINER_GIGABYTES,
  type ExtraUsage,
  hasExtras,
  type ModelUsage,
  NO_USAGE,
  SEARCH_CONTEXTS,
  type SeparateParts,
  type Usage,
} from '../core/usage.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from './json.ts'

/** The ordinary way to be served, as providers call it. */
const ORDINARY = /^(default|standard|standard_only|auto|on_demand|scale|unspecified)$/
const TIER_PREFIX = /^(service_tier_|traffic_type_|on_demand_)/
const NAME_CHARS_MAX = 32

/**
 * The service tier, unless it is the ordinary one. `speed`: Anthropic's. Sources: platform.openai.com/docs, service
 * tiers; docs.claude.com, service tiers and fast mode; ai.google.dev, optimization.
 */
export function readServiceTier(tier: unknown, speed?: unknown): string | undefined {
  if (speed === 'fast') return 'fast'
  const name = asString(tier)?.toLowerCase().replace(TIER_PREFIX, '').slice(0, NAME_CHARS_MAX)
  return !name || ORDINARY.test(name) ? undefined : name
}

/** A body of any format without what asks for a service tier. A number is the speed of speech. */
export function withoutServiceTier(body: JsonObject): JsonObject {
  const { service_tier: tier, serviceTier: camelTier, speed, ...rest } = body
  const isSpeech = speed !== undefined && typeof speed !== 'string'
  if (tier === undefined && camelTier === undefined && (speed === undefined || isSpeech)) return body
  return isSpeech ? { ...rest, speed } : rest
}

/** Adds what is not counted in tokens. Without usage only tools count, not how the request was served. */
export function withExtras(usage: Usage | undefined, extras: ExtraUsage | undefined): Usage | undefined {
  if (!extras || (!usage && !hasExtras(extras))) return usage
  return { ...(usage ?? NO_USAGE), ...extras }
}

/** Names of fields that are read, or that cost nothing; `tests/providers/usage-fields.json` says which and why. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  `accepted_prediction_tokens audio_tokens cache_creation cache_creation_input_tokens
  cache_creation_tokens cache_read_input_tokens cache_write_tokens cache_write_tokens_details
  cached_creation_tokens cached_image_tokens cached_text_tokens cached_tokens
  cached_tokens_by_modality cached_tokens_details cachedContentTokenCount cacheTokensDetails
  candidatesTokenCount candidatesTokensDetails code_execution_requests completion_time
  completion_tokens completion_tokens_details cost cost_in_usd_ticks ephemeral_1h_input_tokens
  ephemeral_5m_input_tokens grounding_tool_count image_gen image_tokens inference_geo
  initial_input_tokens initialPromptTokenCount input_token_details input_tokens
  input_tokens_by_modality input_tokens_details iterations num_cached_tokens num_requests
  num_search_queries num_sources_used output_token_details output_tokens output_tokens_by_modality
  output_tokens_details prompt_cache_hit_tokens prompt_cache_miss_tokens prompt_time prompt_tokens
  prompt_tokens_details promptTokenCount promptTokensDetails queue_time reasoning_tokens
  rejected_prediction_tokens seconds server_tool_use service_tier serviceTier speed text_tokens
  thinking_tokens thoughtsTokenCount tool_usage tool_use_tokens_by_modality toolUsePromptTokenCount
  toolUsePromptTokensDetails total_cached_tokens total_input_tokens total_output_tokens
  total_thought_tokens total_time total_tokens total_tool_use_tokens totalTokenCount trafficType
  ttl_12h_tokens ttl_30m_tokens type video_tokens web_fetch_requests web_search web_search_requests`.split(
    /\s+/,
  ),
)
/** Read by what they hold, or no counts. */
const OPAQUE_FIELDS = /^(plugins|cost_details|server_side_tool_usage_details|fallback_credit)$/
const MODALITIES: ReadonlySet<unknown> = new Set(['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT'])
const MODALITY_LIST = /TokensDetails$|_by_modality$/
const UNKNOWN_FIELDS_MAX = 10
const FIELD_CHARS_MAX = 100

/** Tokens of one modality in the details of Google's usage, `tokenCount` in one API and `tokens` in the other. */
export const tokensOf = (details: unknown, modality: 'AUDIO' | 'IMAGE'): number =>
  asArray(details)
    .map(asObject)
    .filter(detail => asString(detail.modality)?.toUpperCase() === modality)
    .reduce((sum, { tokenCount, tokens }) => sum + asCount(tokenCount ?? tokens), 0)

/** The counts in a provider's usage that no reader knows; undefined for none. */
export function findUnknownFields(usage: JsonObject, parent = ''): readonly string[] | undefined {
  const unknown = Object.entries(usage).flatMap(([name, value]) => {
    const isCount = typeof value === 'number' || typeof value === 'object'
    return value && isCount && !OPAQUE_FIELDS.test(name) ? findUnknown(value, name, parent) : []
  })
  return unknown.length > 0 ? unknown.slice(0, UNKNOWN_FIELDS_MAX) : undefined
}

function findUnknown(value: object | number, name: string, parent: string): readonly string[] {
  const path = `${parent}${name}`.slice(0, FIELD_CHARS_MAX)
  if (!KNOWN_FIELDS.has(name)) return [path]
  if (isObject(value)) return findUnknownFields(value, `${path}.`) ?? []
  if (!Array.isArray(value) || !MODALITY_LIST.test(name)) return []
  const modality = value
    .map(detail => asObject(detail).modality)
    .find(known => !MODALITIES.has(asString(known)?.toUpperCase()))
  return modality === undefined ? [] : [`${path}.${modality}`.slice(0, FIELD_CHARS_MAX)]
}

/** Only what is there; undefined for nothing. */
export function toExtras(
  extras: {
    readonly [Name in keyof ExtraUsage]: ExtraUsage[Name] | undefined
  },
): ExtraUsage | undefined {
  let found: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(extras)) {
    if (value === undefined || value === 0) continue
    found ??= {}
    found[name] = value
  }
  return found
}

/** Calls by tool, without uncalled tools; undefined for none. */
export function countCalls(calls: Readonly<Record<string, number>>): ExtraUsage['toolCalls'] {
  const made = Object.entries(calls).filter(([, count]) => count > 0)
  return made.length === 0 ? undefined : Object.fromEntries(made)
}

/**
 * Of a chat response or its last chunk in OpenAI's format, beside the searches that `usage` counts. Sources:
 * docs.perplexity.ai (search_context_size), docs.x.ai (server_side_tool_usage_details, num_sources_used).
 */
export function readChatExtras(json: JsonObject, usage: JsonObject): ExtraUsage | undefined {
  const serviceTier = readServiceTier(json.service_tier ?? usage.service_tier)
  const details = usage.server_side_tool_usage_details
  const reported = isObject(details) ? readToolDetails(details) : undefined
  const context = SEARCH_CONTEXTS.find(size => size === usage.search_context_size)
  // Perplexity names the size of the search that each request makes.
  const webSearches = reported?.webSearches ?? (context === undefined ? 0 : 1)
  const sources = asCount(usage.num_sources_used)
  const toolCalls = reported?.toolCalls ?? (sources > 0 ? { live_search: sources } : undefined)
  const unknownFields = findUnknownFields(usage)
  if (!serviceTier && !webSearches && !toolCalls && !unknownFields) return undefined
  return toExtras({ serviceTier, webSearches, searchContext: context, toolCalls, unknownFields })
}

/** Web and X search have one price. Source: docs.x.ai/developers/pricing */
export function readToolDetails(details: JsonObject): ExtraUsage {
  const count = (tool: string): number => asCount(details[`${tool}_calls`])
  const toolCalls = countCalls({
    code_interpreter: count('code_interpreter') + count('code_execution'),
    file_search: count('file_search') + count('collections_search'),
    attachment_search: count('attachment_search') + count('document_search'),
  })
  return { webSearches: count('web_search') + count('x_search'), ...(toolCalls && { toolCalls }) }
}

/** Of Anthropic's `usage`. Web fetches and code execution have no price per call. */
export function readAnthropicExtras(usage: JsonObject): ExtraUsage | undefined {
  const { service_tier, speed, inference_geo, server_tool_use } = usage
  const serviceTier = readServiceTier(service_tier, speed)
  const used = asObject(server_tool_use)
  const region = asString(inference_geo)
  const isPlain = region === undefined || region === 'global' || region === 'not_available'
  return toExtras({
    serviceTier,
    toolCalls: countCalls({ web_fetch: asCount(used.web_fetch_requests) }),
    region: isPlain ? undefined : region.slice(0, NAME_CHARS_MAX),
    unknownFields: findUnknownFields(usage),
  })
}

/** Of one response of Gemini or Vertex, or of one event: searches add up over candidates. */
export function readGeminiExtras(json: JsonObject): ExtraUsage | undefined {
  const metadata = asObject(json.usageMetadata)
  const serviceTier = readServiceTier(metadata.serviceTier ?? metadata.trafficType)
  let webSearches = 0
  let maps = 0
  for (const candidate of asArray(json.candidates)) {
    const { groundingMetadata } = asObject(candidate)
    if (!isObject(groundingMetadata)) continue
    // Google charges for no empty query.
    webSearches += asArray(groundingMetadata.webSearchQueries).filter(Boolean).length
    if (asArray(groundingMetadata.groundingChunks).some(chunk => asObject(chunk).maps !== undefined)) maps = 1
  }
  const unknownFields = findUnknownFields(metadata)
  return toExtras({ serviceTier, webSearches, toolCalls: countCalls({ maps }), unknownFields })
}

/** Events of one stream repeat what they reported, so the larger figures count. */
export function mergeExtras(a: ExtraUsage | undefined, b: ExtraUsage | undefined): ExtraUsage | undefined {
  if (!a || !b) return a ?? b
  return toExtras({
    ...a,
    ...b,
    webSearches: Math.max(a.webSearches ?? 0, b.webSearches ?? 0),
    toolCalls: a.toolCalls ?? b.toolCalls,
  })
}

/** Totals as providers report them, which include the parts. */
interface ProviderUsageTotals {
  readonly prompt: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  readonly audioInput?: number
  readonly imageInput?: number
  /** The parts of `cachedInput` that are sound and pictures; `audioInput` and `imageInput` include them. */
  readonly cachedAudio?: number
  readonly cachedImage?: number
  readonly completion: number
  readonly reasoning?: number
  readonly audioOutput?: number
  readonly imageOutput?: number
  /** The provider's sum of input and output. */
  readonly total?: number
}

/** A part that exceeds its total, or without which the provider's sum is wrong, is counted beside it. */
function findSeparateParts(totals: ProviderUsageTotals): SeparateParts | undefined {
  const { prompt, completion, cachedInput = 0, reasoning = 0 } = totals
  const unexplained = (totals.total ?? 0) - prompt - completion
  const isBoth = unexplained === cachedInput + reasoning
  const isSeparate = (part: number, total: number): boolean =>
    part > total || (part > 0 && unexplained > 0 && (isBoth || unexplained === part))
  const [isCachedSeparate, isReasoningSeparate] = [
    isSeparate(cachedInput, prompt),
    isSeparate(reasoning, completion),
  ]
  if (!isCachedSeparate && !isReasoningSeparate) return undefined
  return { ...(isCachedSeparate && { cachedInput }), ...(isReasoningSeparate && { reasoning }) }
}

/**
 * Subtracts the parts from the totals. The buckets add up to exactly the provider's totals, even where its parts
 * overlap or exceed them. Undefined when both totals are 0: the provider reported nothing.
 */
export function usageFromTotals(totals: ProviderUsageTotals): Usage | undefined {
  const { prompt, completion } = totals
  if (prompt + completion <= 0) return undefined
  const sent = takeFrom(prompt)
  const read = takeFrom(sent.take(totals.cachedInput))
  const cachedAudio = read.take(totals.cachedAudio)
  const cachedImage = read.take(totals.cachedImage)
  const made = takeFrom(completion)
  const separate = findSeparateParts(totals)
  return {
    ...(separate && { separate }),
    ...NO_USAGE,
    cachedAudio,
    cachedImage,
    cachedInput: read.left(),
    cacheWrite: sent.take(totals.cacheWrite),
    audioInput: sent.take(totals.audioInput, cachedAudio),
    imageInput: sent.take(totals.imageInput, cachedImage),
    input: sent.left(),
    reasoning: made.take(totals.reasoning),
    audioOutput: made.take(totals.audioOutput),
    imageOutput: made.take(totals.imageOutput),
    output: made.left(),
  }
}

/** Hands out the parts of a total, one after another, as far as it goes. `counted`: what another part holds of this one. */
function takeFrom(total: number) {
  let left = total
  return {
    take(part = 0, counted = 0): number {
      const taken = Math.min(Math.max(part - counted, 0), left)
      left -= taken
      return taken
    },
    left: () => left,
  }
}

/** A usage with searches, which providers report beside the tokens. */
export const withWebSearches = (usage: Usage | undefined, webSearches: number): Usage | undefined =>
  usage && webSearches > 0 ? { ...usage, webSearches } : usage

/**
 * The parts of an input, from its details with OpenAI's names. Writes to the cache have two more names at other gateways.
 * Source: the types of OpenAI's SDK (`CompletionUsage`, `ResponseUsage`, `RealtimeResponseUsage`, `ImagesResponse.Usage`)
 */
export function readInputParts(details: JsonObject) {
  const cached = asObject(details.cached_tokens_details)
  return {
    cachedInput: asCount(details.cached_tokens),
    cachedAudio: asCount(cached.audio_tokens),
    cachedImage: asCount(cached.image_tokens),
    cacheWrite:
      asCount(details.cache_write_tokens) ||
      asCount(details.cache_creation_tokens) ||
      asCount(details.cached_creation_tokens),
    audioInput: asCount(details.audio_tokens),
    imageInput: asCount(details.image_tokens),
  }
}

/** What names of the same model differ in: a version or a date at the end, and OpenRouter's variants. */
const ENDING =
  /(-v\d+:\d+|@.*|-(\d{4}-\d{2}-\d{2}|20\d{6}|\d{4}|\d{2}-\d{2,4}|00\d|latest|preview|exp)|:(free|nitro|floor|online|thinking|extended|beta|exacto))$/
/** Bedrock puts region and maker before a name, with dots. */
const MAKERS = /^([a-z]+\.)+(?=[a-z])/
const ALIAS = /-latest$/
const NAME_CHARS_COMPARED = 200

/**
 * Whether two names mean one model: with and without the name of its maker (`openai/gpt-4o`), a date, a version of a cloud, and
 * with its words in another order (`claude-4.5-sonnet`). An alias for the latest model means any of its family.
 */
export function isSameModel(requested: string, served: string): boolean {
  if (requested === served) return true
  const [words, others] = [wordsOf(requested), wordsOf(served)]
  const isAll = words.every(word => others.includes(word))
  if (ALIAS.test(requested) && isAll) return true
  return words.toSorted().join() === others.toSorted().join() && numbersOf(words) === numbersOf(others)
}

/** The model that served, as a response, an event or a session of any format names it. */
export function readServedModel(json: unknown): string | undefined {
  const { model, modelVersion } = asObject(json)
  return asString(model) ?? asString(modelVersion)
}

const numbersOf = (words: readonly string[]): string => words.filter(word => /^\d/.test(word)).join()

function wordsOf(model: string): readonly string[] {
  let name = model
    .slice(0, NAME_CHARS_COMPARED)
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(MAKERS, '')
    .replace('gpt-35', 'gpt-3.5')
  while (ENDING.test(name)) name = name.replace(ENDING, '')
  return name.split(/[-._: ]+/)
}

/** Where the provider does not say how long a response took: containers end after this time without use. */
export const CONTAINER_MINUTES = 20

/** The container that a tool's entry asks for, by the name under which price lists have it. Undefined for a tool without one. */
export function readContainer({ container, environment }: JsonObject): string | undefined {
  const isHosted = asString(asObject(environment).type)?.startsWith('container') === true
  const chosen = isHosted ? environment : container
  if (typeof chosen !== 'string' && !isObject(chosen)) return undefined
  const gigabytes = Number.parseInt(asString(asObject(chosen).memory_limit) ?? '1', 10)
  const sizes = Object.entries(CONTAINER_GIGABYTES)
  const [name] = sizes.find(([, size]) => gigabytes <= size) ?? sizes.at(-1) ?? []
  return name
}

/** Undefined where no tokens are counted: then the images themselves are billed. */
export function readImageUsage(usage: JsonObject): Usage | undefined {
  const output = asCount(usage.output_tokens)
  const sent = readInputParts(asObject(usage.input_tokens_details))
  return usageFromTotals({
    ...sent,
    prompt: asCount(usage.input_tokens),
    cachedInput: asCount(usage.cached_tokens) || sent.cachedInput,
    cachedImage: asCount(asObject(usage.cached_tokens_details).cached_image_tokens) || sent.cachedImage,
    completion: output,
    imageOutput: output - asCount(asObject(usage.output_tokens_details).text_tokens),
  })
}

/** What the model used that wrote an SVG after a picture. Source: the types of OpenAI's SDK (`ImagesResponse.SvgUsage`) */
export function readAuthors({ svg_usage }: JsonObject): readonly ModelUsage[] {
  const { model, input_tokens, output_tokens, reasoning_tokens } = asObject(svg_usage)
  const used = usageFromTotals({
    prompt: asCount(input_tokens),
    completion: asCount(output_tokens),
    reasoning: asCount(reasoning_tokens),
  })
  if (!used) return []
  const { input, output, reasoning } = used
  return [{ model: asString(model), usage: { input, output, reasoning } }]
}
