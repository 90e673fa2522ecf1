/**
 * Token usage in buckets that do not overlap; their sum is the total that the provider reports. `input` excludes
 * `cachedInput`, `cacheWrite` (kept for minutes), `cacheWriteHour` (kept for an hour), `audioInput` and `imageInput`.
 * `output` excludes `reasoning` and `audioOutput`.
 */
export interface TokenUsage {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly cacheWriteHour: number
  readonly audioInput: number
  readonly imageInput: number
  readonly output: number
  readonly reasoning: number
  readonly audioOutput: number
}

export type TokenBucket = keyof TokenUsage

/** Images that a tool of the provider made, with another model than the one that was called. */
export interface ToolImages {
  readonly model: string
  readonly count: number
  readonly size?: string | undefined
  readonly quality?: string | undefined
  /** Their token usage, where the provider reports it; it then decides instead of their number. */
  readonly tokens?: { readonly input: number; readonly imageInput: number; readonly output: number }
}

/** The model that makes images for a tool where neither request nor response names one. Source: platform.openai.com/docs, image generation */
export const DEFAULT_IMAGE_MODEL = 'gpt-image-1'

/** Counts beside tokens, and the kind of service. Absent: none, or the ordinary one. */
export interface ExtraUsage {
  readonly webSearches?: number
  /** How much each search read, where that has a price of its own. */
  readonly searchContext?: SearchContext
  /** Calls of other tools that the provider ran, by the name under which the price list has them. */
  readonly toolCalls?: Readonly<Record<string, number>>
  readonly toolImages?: readonly ToolImages[]
  /** Seconds of audio or video that were read. */
  readonly seconds?: number
  /** The tier that served the request: `flex`, `priority`, `fast` and so on. */
  readonly serviceTier?: string
  /** The region that served the request, where the provider asks more for it. */
  readonly region?: string
}

/** Whether a provider ran tools. */
export const hasExtras = ({ webSearches, toolCalls, toolImages }: ExtraUsage): boolean =>
  (webSearches ?? 0) > 0 || toolCalls !== undefined || toolImages !== undefined

/** Usage that is not counted in tokens. */
export function extrasOf(usage: ExtraUsage): ExtraUsage {
  const { webSearches, searchContext, toolCalls, toolImages, seconds, serviceTier, region } = usage
  return {
    ...(webSearches && { webSearches }),
    ...(searchContext && { searchContext }),
    ...(toolCalls && { toolCalls }),
    ...(toolImages && { toolImages }),
    ...(seconds !== undefined && { seconds }),
    ...(serviceTier && { serviceTier }),
    ...(region && { region }),
  }
}

export const SEARCH_CONTEXTS = ['low', 'medium', 'high'] as const
export type SearchContext = (typeof SEARCH_CONTEXTS)[number]

/**
 * The usage of a request. `images` is not in tokens: it counts generated images, each weighted by size and quality, so it
 * may be a fraction.
 */
export interface Usage extends TokenUsage, ExtraUsage {
  /** Parts that the figures show to be counted beside the totals, as reported; the buckets hold them inside. */
  readonly separate?: SeparateParts
  readonly images: number
  /** Searches of the provider's own web search, where the provider tells. */
  readonly webSearches: number
}

export interface SeparateParts {
  readonly cachedInput?: number
  readonly reasoning?: number
}

export const NO_USAGE: Usage = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  audioInput: 0,
  imageInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
  images: 0,
  webSearches: 0,
}

/** The total of all input tokens. */
export const promptTokens = (u: Usage): number =>
  u.input + u.cachedInput + cacheWriteTokens(u) + u.audioInput + u.imageInput
/** Tokens written to the provider's cache, for any retention. */
export const cacheWriteTokens = (u: Pick<Usage, 'cacheWrite' | 'cacheWriteHour'>): number =>
  u.cacheWrite + u.cacheWriteHour
/** The total of all output tokens. */
export const completionTokens = (u: Usage): number => u.output + u.reasoning + u.audioOutput
/** The input part of a usage. */
export const withoutOutput = (u: Usage): Usage => ({ ...u, output: 0, reasoning: 0, audioOutput: 0 })

/** Totals as providers report them, which include the parts. */
interface ProviderUsageTotals {
  readonly prompt: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  readonly audioInput?: number
  readonly completion: number
  readonly reasoning?: number
  readonly audioOutput?: number
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
  const cachedInput = Math.min(totals.cachedInput ?? 0, prompt)
  const cacheWrite = Math.min(totals.cacheWrite ?? 0, prompt - cachedInput)
  const audioInput = Math.min(totals.audioInput ?? 0, prompt - cachedInput - cacheWrite)
  const reasoning = Math.min(totals.reasoning ?? 0, completion)
  const audioOutput = Math.min(totals.audioOutput ?? 0, completion - reasoning)
  const separate = findSeparateParts(totals)
  return {
    ...(separate && { separate }),
    input: prompt - cachedInput - cacheWrite - audioInput,
    cachedInput,
    cacheWrite,
    cacheWriteHour: 0,
    audioInput,
    imageInput: 0,
    output: completion - reasoning - audioOutput,
    reasoning,
    audioOutput,
    images: 0,
    webSearches: 0,
  }
}

/** A usage with searches, which providers report beside the tokens. */
export const withWebSearches = (usage: Usage | undefined, webSearches: number): Usage | undefined =>
  usage && webSearches > 0 ? { ...usage, webSearches } : usage
