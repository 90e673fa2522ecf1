/** Ways in which an answer ends badly. `afterTokens` counts output tokens that were delivered before it. */
export interface BadEnding {
  readonly kind:
    | 'stall'
    | 'chatter'
    | 'cut'
    | 'reset'
    | 'half-event'
    | 'error-event'
    | 'broken-event'
    | 'no-finish'
  readonly afterTokens: number
}

/** What an upstream may refuse with; each vendor has its own words for it. */
export type FailureKind =
  | 'status'
  | 'bad-request'
  | 'missing-key'
  | 'dead-key'
  | 'no-money'
  | 'rate-limit'
  | 'context-length'
  | 'no-model'
  | 'overloaded'

/** What the lab does with one request. Faults change it; the answer and its delivery read it. */
export interface FaultPlan {
  readonly textTokens: number
  readonly reasoningTokens: number
  /** How many of the prompt's tokens count as read from a cache. */
  readonly cachedTokens: number
  /** How many of the prompt's tokens count as written to a cache, where the vendor has such a figure. */
  readonly cacheWriteTokens: number
  readonly toolCalls: number
  readonly isFiltered: boolean
  /** Bytes of the second text token; 0 leaves it a word. */
  readonly hugeTokenBytes: number
  readonly usage: 'honest' | 'missing' | 'zero'

  /** Infinity: the headers never come. */
  /** How work that finishes later ends: `stuck` never does, `lost` is not known any more. */
  readonly taskEnding: 'success' | 'failure' | 'stuck' | 'lost'
  readonly taskMs: number
  /** What a drawing's submission is answered with; 0 leaves it to the lab. */
  readonly taskCode: number

  readonly headersAfterMs: number
  readonly firstTokenAfterMs: number
  readonly betweenTokensMs: number

  readonly failure: { readonly kind: FailureKind; readonly status: number } | undefined
  /** The failure's body arrives with status 200. */
  readonly isFailureHidden: boolean
  readonly retryAfterSeconds: number | undefined

  readonly body: 'right' | 'garbage' | 'empty' | 'html'
  readonly form: 'asked' | 'whole' | 'stream'
  /** Replaces the content type, where given. */
  readonly contentType: string | undefined
  readonly hasEndMark: boolean
  /** Bytes of one write; 0: as many as are ready. */
  readonly dripBytes: number
  readonly ending: BadEnding | undefined
}

/** One sentence of the lab. */
const USUAL_TEXT_TOKENS = 22

export const DEFAULT_FAULT_PLAN: FaultPlan = {
  textTokens: USUAL_TEXT_TOKENS,
  reasoningTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  toolCalls: 0,
  isFiltered: false,
  hugeTokenBytes: 0,
  usage: 'honest',
  taskEnding: 'success',
  taskMs: 1000,
  taskCode: 0,
  headersAfterMs: 0,
  firstTokenAfterMs: 0,
  betweenTokensMs: 0,
  failure: undefined,
  isFailureHidden: false,
  retryAfterSeconds: undefined,
  body: 'right',
  form: 'asked',
  contentType: undefined,
  hasEndMark: true,
  dripBytes: 0,
  ending: undefined,
}
