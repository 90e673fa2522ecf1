import { MIB } from '../core/limits.ts'
import type { BadEnding, FailureKind, FaultPlan } from './fault-plan.ts'

/** One thing the lab can be asked to do. */
export interface Fault {
  readonly says: string
  /** What the figure after the name means, and its value when none is given. */
  readonly figure?: { readonly means: string; readonly usual: number; readonly most: number }
  change(figure: number): Partial<FaultPlan>
}

const TOKENS_MAX = 10_000_000
const WAIT_MS_MAX = 600_000
const STATUS_MAX = 599
const HUGE_BYTES_MAX = 256 * MIB

const tokens = (usual: number) => ({ means: 'tokens', usual, most: TOKENS_MAX })
const ms = (usual: number) => ({ means: 'milliseconds', usual, most: WAIT_MS_MAX })
const status = (usual: number) => ({ means: 'HTTP status', usual, most: STATUS_MAX })

const ending = (kind: BadEnding['kind'], usual: number, says: string): Fault => ({
  says,
  figure: { means: 'tokens delivered before', usual, most: TOKENS_MAX },
  change: afterTokens => ({ ending: { kind, afterTokens } }),
})

const failure = (kind: FailureKind, says: string): Fault => ({
  says,
  change: () => ({ failure: { kind, status: 0 } }),
})

/** The named list. A request asks with `name` or `name-figure`, several joined by `+`. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  tokens: {
    says: 'answers with this many tokens of text',
    figure: tokens(100),
    change: textTokens => ({ textTokens }),
  },
  million: { says: 'answers with a million tokens', change: () => ({ textTokens: 1_000_000 }) },
  reasoning: {
    says: 'thinks aloud before the answer',
    figure: tokens(8),
    change: reasoningTokens => ({ reasoningTokens }),
  },
  cached: {
    says: 'counts up to this many tokens of the prompt as read from a cache',
    figure: tokens(1000),
    change: cachedTokens => ({ cachedTokens }),
  },
  'cache-write': {
    says: 'counts up to this many tokens of the prompt as written to a cache (Anthropic)',
    figure: tokens(1000),
    change: cacheWriteTokens => ({ cacheWriteTokens }),
  },
  tools: {
    says: 'calls the offered tools, in turn, until the last message is a tool result',
    figure: { means: 'calls', usual: 1, most: 100 },
    change: toolCalls => ({ toolCalls }),
  },
  filter: { says: 'ends with the content filter', change: () => ({ isFiltered: true }) },
  huge: {
    says: 'sends one token of this many bytes',
    figure: { means: 'bytes', usual: MIB, most: HUGE_BYTES_MAX },
    change: hugeTokenBytes => ({ hugeTokenBytes }),
  },
  'no-usage': { says: 'leaves the usage out', change: () => ({ usage: 'missing' }) },
  'zero-usage': { says: 'reports a usage of zeros', change: () => ({ usage: 'zero' }) },

  'task-ms': {
    says: 'finishes drawing or music after this time (a second is usual)',
    figure: ms(1000),
    change: taskMs => ({ taskMs }),
  },
  'task-fail': { says: 'fails at the end of drawing or music', change: () => ({ taskEnding: 'failure' }) },
  'task-stuck': { says: 'never finishes drawing or music', change: () => ({ taskEnding: 'stuck' }) },
  'task-lost': { says: 'forgets a drawing or song it took', change: () => ({ taskEnding: 'lost' }) },
  'task-code': {
    says: 'answers a drawing with this code and takes it for 1, 21 and 22 only; refuses music',
    figure: { means: 'code', usual: 22, most: 100 },
    change: taskCode => ({ taskCode }),
  },

  'slow-headers': {
    says: 'waits before the headers',
    figure: ms(2000),
    change: headersAfterMs => ({ headersAfterMs }),
  },
  hang: {
    says: 'takes the request and never answers',
    change: () => ({ headersAfterMs: Number.POSITIVE_INFINITY }),
  },
  'first-token': {
    says: 'sends the headers, then waits before the first token',
    figure: ms(2000),
    change: firstTokenAfterMs => ({ firstTokenAfterMs }),
  },
  pace: {
    says: 'waits between tokens',
    figure: ms(40),
    change: betweenTokensMs => ({ betweenTokensMs, firstTokenAfterMs: betweenTokensMs }),
  },
  drip: {
    says: 'writes this many bytes at a time, cutting through letters and line ends',
    figure: { means: 'bytes', usual: 1, most: MIB },
    change: dripBytes => ({ dripBytes }),
  },

  status: {
    says: 'refuses with this status in the vendor’s error shape; 429 and 503 ask to wait 2 s',
    figure: status(500),
    change: figure => ({
      failure: { kind: 'status', status: figure },
      retryAfterSeconds: figure === 429 || figure === 503 ? 2 : undefined,
    }),
  },
  'hidden-error': {
    says: 'sends the error body of this status with HTTP 200',
    figure: status(500),
    change: figure => ({ failure: { kind: 'status', status: figure }, isFailureHidden: true }),
  },
  html: {
    says: 'answers with a web page and this status, as a broken proxy does',
    figure: status(502),
    change: figure => ({
      failure: { kind: 'status', status: figure },
      body: 'html',
      contentType: 'text/html',
    }),
  },
  'retry-after': {
    says: 'adds a retry-after header to a refusal',
    figure: { means: 'seconds', usual: 2, most: 86_400 },
    change: retryAfterSeconds => ({ retryAfterSeconds }),
  },
  'dead-key': failure('dead-key', 'refuses the key as the vendor refuses a revoked one'),
  'no-money': failure('no-money', 'says that the account is out of money'),
  'rate-limit': failure('rate-limit', 'says that the rate limit is reached'),
  'context-length': failure('context-length', 'says that the prompt is too long'),
  'no-model': failure('no-model', 'says that it does not know the model'),
  overloaded: failure('overloaded', 'says that it is overloaded'),

  empty: { says: 'answers 200 with an empty body', change: () => ({ body: 'empty' }) },
  garbage: { says: 'answers 200 with bytes that mean nothing', change: () => ({ body: 'garbage' }) },
  'wrong-type': {
    says: 'sends the right body as text/plain',
    change: () => ({ contentType: 'text/plain; charset=utf-8' }),
  },
  'json-for-stream': {
    says: 'answers whole although a stream was asked for',
    change: () => ({ form: 'whole' }),
  },
  'stream-for-json': {
    says: 'answers as a stream although it was not asked for',
    change: () => ({ form: 'stream' }),
  },

  reset: {
    says: 'resets the connection before any header',
    change: () => ({ ending: { kind: 'reset', afterTokens: 0 } }),
  },
  cut: ending('cut', 3, 'sends half an event and resets the connection'),
  'half-event': ending('half-event', 3, 'sends half an event and ends the body as if all were well'),
  'no-finish': ending('no-finish', 3, 'ends the body without a finish reason, usage or end mark'),
  stall: ending('stall', 3, 'stops and holds the connection open'),
  chatter: ending('chatter', 3, 'stops, and only sends comments to keep the connection alive'),
  'error-event': ending('error-event', 3, 'sends an error inside the stream and ends it'),
  'broken-event': ending('broken-event', 3, 'sends an event that is not JSON and ends the body'),
  'no-end-mark': {
    says: 'leaves out the vendor’s end of stream ([DONE], message_stop)',
    change: () => ({ hasEndMark: false }),
  },
}
