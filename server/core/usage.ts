/**
 * Token usage in buckets that do not overlap; their sum is the total that the vendor reports. `input` excludes
 * `cachedInput`, `cacheWrite` (kept for minutes), `cacheWriteHour` (kept for an hour), `audioInput` and `imageInput`.
 * `output` excludes `reasoning` and `audioOutput`. `images` is not in tokens: it counts generated images, each weighted
 * by size and quality, so it may be a fraction. `webSearches` is not in tokens either: it counts the searches of the
 * vendor's own web search, where the vendor tells.
 */
export interface Usage {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly cacheWriteHour: number
  readonly audioInput: number
  readonly imageInput: number
  readonly output: number
  readonly reasoning: number
  readonly audioOutput: number
  readonly images: number
  readonly webSearches: number
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
/** Tokens written to the vendor's cache, for any retention. */
export const cacheWriteTokens = (u: Pick<Usage, 'cacheWrite' | 'cacheWriteHour'>): number =>
  u.cacheWrite + u.cacheWriteHour
/** The total of all output tokens. */
export const completionTokens = (u: Usage): number => u.output + u.reasoning + u.audioOutput
/** The input part of a usage. */
export const withoutOutput = (u: Usage): Usage => ({ ...u, output: 0, reasoning: 0, audioOutput: 0 })

/** Totals as vendors report them, which include the parts. */
interface VendorUsageTotals {
  readonly prompt: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  readonly audioInput?: number
  readonly completion: number
  readonly reasoning?: number
  readonly audioOutput?: number
}

/**
 * Subtracts the parts from the totals. The buckets add up to exactly the vendor's totals, even where its parts
 * overlap or exceed them. Undefined when both totals are 0: the vendor reported nothing.
 */
export function usageFromTotals(totals: VendorUsageTotals): Usage | undefined {
  const { prompt, completion } = totals
  if (prompt + completion <= 0) return undefined
  const cachedInput = Math.min(totals.cachedInput ?? 0, prompt)
  const cacheWrite = Math.min(totals.cacheWrite ?? 0, prompt - cachedInput)
  const audioInput = Math.min(totals.audioInput ?? 0, prompt - cachedInput - cacheWrite)
  const reasoning = Math.min(totals.reasoning ?? 0, completion)
  const audioOutput = Math.min(totals.audioOutput ?? 0, completion - reasoning)
  return {
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

/** A usage with searches, which vendors report beside the tokens. */
export const withWebSearches = (usage: Usage | undefined, webSearches: number): Usage | undefined =>
  usage && webSearches > 0 ? { ...usage, webSearches } : usage
