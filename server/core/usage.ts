/** What a prompt consists of. `input` is the rest: text that was not cached. `cacheWrite`: kept for minutes. */
export const INPUT_BUCKETS = [
  'input',
  'cachedInput',
  'cacheWrite',
  'cacheWriteHour',
  'audioInput',
  'imageInput',
  'cachedAudio',
  'cachedImage',
] as const
export const OUTPUT_BUCKETS = ['output', 'reasoning', 'audioOutput', 'imageOutput'] as const

export type TokenBucket = (typeof INPUT_BUCKETS | typeof OUTPUT_BUCKETS)[number]
/** Token usage in buckets that do not overlap; their sum is the total that the provider reports. */
export type TokenUsage = Readonly<Record<TokenBucket, number>>

export const mapBuckets = <Value>(read: (bucket: TokenBucket) => Value): Record<TokenBucket, Value> => ({
  input: read('input'),
  cachedInput: read('cachedInput'),
  cacheWrite: read('cacheWrite'),
  cacheWriteHour: read('cacheWriteHour'),
  audioInput: read('audioInput'),
  imageInput: read('imageInput'),
  cachedAudio: read('cachedAudio'),
  cachedImage: read('cachedImage'),
  output: read('output'),
  reasoning: read('reasoning'),
  audioOutput: read('audioOutput'),
  imageOutput: read('imageOutput'),
})

/** Images that a tool of the provider made, with another model than the one that was called. */
export interface ToolImages {
  readonly model: string
  readonly count: number
  readonly size?: string | undefined
  readonly quality?: string | undefined
  /** Their token usage, where the provider reports it; it then decides instead of their number. `output` is of pictures. */
  readonly tokens?: Pick<TokenUsage, 'input' | 'imageInput' | 'output'> &
    Partial<Pick<TokenUsage, 'cachedInput' | 'cachedImage'>> & { readonly textOutput?: number }
}

/** The model that makes images for a tool where neither request nor response names one. Source: platform.openai.com/docs, image generation */
export const DEFAULT_IMAGE_MODEL = 'gpt-image-1'

/** Gigabytes of the containers in which a provider runs code, by the name under which price lists have a minute of one. */
export const CONTAINER_GIGABYTES = {
  container_1g: 1,
  container_4g: 4,
  container_16g: 16,
  container_64g: 64,
} as const

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
  /** The model that served the request, where its usage names one. */
  readonly servedModel?: string
  readonly otherModels?: readonly ModelUsage[]
  /** Counts that no reader knows, by path. */
  readonly unknownFields?: readonly string[]
}

/** What another model used for the request, or the same one in a call of its own, beside the other figures. */
export interface ModelUsage {
  /** Undefined: the model that served. */
  readonly model?: string | undefined
  readonly usage: Partial<TokenUsage> & Pick<ExtraUsage, 'seconds'>
}

/** Whether a provider ran tools. */
export const hasExtras = ({ webSearches, toolCalls, toolImages, otherModels }: ExtraUsage): boolean =>
  (webSearches ?? 0) > 0 || toolCalls !== undefined || toolImages !== undefined || otherModels !== undefined

/** Usage that is not counted in tokens. */
export function extrasOf(usage: ExtraUsage): ExtraUsage {
  const { webSearches, searchContext, toolCalls, toolImages, otherModels, seconds, serviceTier, region } =
    usage
  return {
    ...(webSearches && { webSearches }),
    ...(searchContext && { searchContext }),
    ...(toolCalls && { toolCalls }),
    ...(toolImages && { toolImages }),
    ...(otherModels && { otherModels }),
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

export const NO_USAGE: Usage = { ...mapBuckets(() => 0), images: 0, webSearches: 0 }

/** The total of all input tokens. */
export const promptTokens = (u: Usage): number =>
  u.input + cachedTokens(u) + cacheWriteTokens(u) + u.audioInput + u.imageInput
/** Tokens read from the provider's cache. */
export const cachedTokens = (u: TokenUsage): number => u.cachedInput + u.cachedAudio + u.cachedImage
/** Tokens written to the provider's cache, for any retention. */
export const cacheWriteTokens = (u: TokenUsage): number => u.cacheWrite + u.cacheWriteHour
/** The total of all output tokens. */
export const completionTokens = (u: Usage): number => u.output + u.reasoning + u.audioOutput + u.imageOutput
/** The input part of a usage. */
export const withoutOutput = (u: Usage): Usage => ({ ...u, ...NO_OUTPUT })
const NO_OUTPUT = { output: 0, reasoning: 0, audioOutput: 0, imageOutput: 0 }

const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS

/** Minutes of the UTC day, within an hour, at which a day begins somewhere: the test finds them in the rules of all zones (`time-zone.test.ts`). */
const DAY_STARTS = [150, 210, 570, 615, 675, 810, 870, 915, 1050, 1095, 1110, 1170, 1230].map(
  minutes => minutes * 60,
)

/**
 * The start of the hour of usage that contains a second. Hours are cut where a day begins somewhere, so that sums by the hour add up
 * to the days of every zone.
 */
export function startOfHour(seconds: number): number {
  const ofDay = seconds % DAY_SECONDS
  const cut = DAY_STARTS.findLast(start => start <= ofDay) ?? 0
  return seconds - ofDay + Math.max(cut, ofDay - (ofDay % HOUR_SECONDS))
}

/** The end of the hour, or of its part, that contains a second. */
export function endOfHour(seconds: number): number {
  const ofDay = seconds % DAY_SECONDS
  const cut = DAY_STARTS.find(start => start > ofDay) ?? DAY_SECONDS
  return seconds - ofDay + Math.min(cut, ofDay - (ofDay % HOUR_SECONDS) + HOUR_SECONDS)
}
