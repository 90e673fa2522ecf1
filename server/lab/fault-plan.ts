/** A response that ends abnormally. */
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
  /** Output tokens that are delivered first. */
  readonly afterTokens: number
}

/** The reasons why an upstream returns an error. Each provider has its own statuses and messages for them. */
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

/** A call that a playbook makes. */
export interface PlaybookCall {
  /** A tool that the client declares. */
  readonly tool: string
  /** An object, or text for a tool that takes free text. */
  readonly arguments?: unknown
}

/** How the lab handles one request. Faults change the default plan. */
export interface FaultPlan {
  readonly textTokens: number
  readonly reasoningTokens: number
  /** The maximum number of prompt tokens that count as read from a cache. */
  readonly cachedTokens: number
  /** The maximum number of prompt tokens that count as written to a cache, for providers that report them. */
  readonly cacheWriteTokens: number
  readonly toolCalls: number
  readonly isFiltered: boolean
  /** Whether the text is a refusal, for providers that tell the two apart. */
  readonly isDeclined: boolean
  /** Whether the arguments of parallel calls arrive in turns, for providers that number their deltas. */
  readonly isInterleaved: boolean
  /** Whether requests are accepted that the provider refuses, as compatible providers do. */
  readonly isLenient: boolean
  /** The size of the second text token; 0 for an ordinary word. */
  readonly hugeTokenBytes: number
  readonly usage: 'exact' | 'missing' | 'zero'

  /** The outcome of an asynchronous task: `stuck` never finishes, `lost` is unknown afterwards. */
  readonly taskEnding: 'success' | 'failure' | 'stuck' | 'lost'
  readonly taskMs: number
  /** The result code of a submitted drawing; 0 for the usual one. */
  readonly taskCode: number

  /** Infinity when the headers never arrive. */
  readonly headersAfterMs: number
  readonly firstTokenAfterMs: number
  readonly betweenTokensMs: number

  readonly failure: { readonly kind: FailureKind; readonly status: number } | undefined
  /** Whether the body of the failure comes with status 200. */
  readonly isFailureHidden: boolean
  readonly retryAfterSeconds: number | undefined

  readonly body: 'valid' | 'garbage' | 'empty' | 'html'
  readonly form: 'requested' | 'json' | 'stream'
  /** Replaces the content type. */
  readonly contentType: string | undefined
  readonly hasEndMarker: boolean
  /** The size of a single write; 0 for no limit. */
  readonly bytesPerWrite: number
  readonly ending: BadEnding | undefined
  /** The turn of a playbook, which decides text and calls. */
  readonly playbook:
    | { readonly text: string | undefined; readonly calls: readonly PlaybookCall[] }
    | undefined
}

/** The length of the lab's sentence, see `createCompletion`. */
const DEFAULT_TEXT_TOKENS = 22

export const DEFAULT_FAULT_PLAN: FaultPlan = {
  textTokens: DEFAULT_TEXT_TOKENS,
  reasoningTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  toolCalls: 0,
  isFiltered: false,
  isDeclined: false,
  isInterleaved: false,
  isLenient: false,
  hugeTokenBytes: 0,
  usage: 'exact',
  taskEnding: 'success',
  taskMs: 1000,
  taskCode: 0,
  headersAfterMs: 0,
  firstTokenAfterMs: 0,
  betweenTokensMs: 0,
  failure: undefined,
  isFailureHidden: false,
  retryAfterSeconds: undefined,
  body: 'valid',
  form: 'requested',
  contentType: undefined,
  hasEndMarker: true,
  bytesPerWrite: 0,
  ending: undefined,
  playbook: undefined,
}
