/**
 * What an answer consumed, in buckets that do not overlap: `input` leaves out what stands in `cachedInput`,
 * `cacheWrite` (kept for minutes), `cacheWriteHour` (kept for an hour), `audioInput` and `imageInput`; `output` leaves out `reasoning` and `audioOutput`. Their sum is the
 * vendor's total, in tokens. Beside them stands `images`: pictures that were made, each counted by what its size and
 * quality make of a plain one, so that it may be a fraction.
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
}

/** More than any answer can have used, or a conversation of a day. */
const TOKENS_BELIEVED_MAX = 1_000_000_000

/** A vendor's figures, unless they cannot be true: then it is mistaken, and has said nothing. */
export const believed = (usage: Usage | undefined): Usage | undefined =>
  usage && promptTokens(usage) + completionTokens(usage) <= TOKENS_BELIEVED_MAX ? usage : undefined

/** Tokens of everything that was sent. */
export const promptTokens = (u: Usage): number =>
  u.input + u.cachedInput + cacheWriteTokens(u) + u.audioInput + u.imageInput
/** Tokens that a vendor put into its cache, for however long. */
export const cacheWriteTokens = (u: Pick<Usage, 'cacheWrite' | 'cacheWriteHour'>): number =>
  u.cacheWrite + u.cacheWriteHour
/** Tokens of everything that was produced. */
export const completionTokens = (u: Usage): number => u.output + u.reasoning + u.audioOutput
/** What was sent, without what was produced. */
export const withoutOutput = (u: Usage): Usage => ({ ...u, output: 0, reasoning: 0, audioOutput: 0 })
