import { MIB } from '../core/limits.ts'
import type { BadEnding, FailureKind, FaultPlan } from './fault-plan.ts'

/** A fault that a request can ask for by name. */
export interface Fault {
  /** One line with the upstream as its subject. The lab's page and docs/reference/faults.md print it. */
  readonly says: string
  /** The meaning of the figure after the name, its default, and its maximum. */
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
  figure: { means: 'tokens delivered first', usual, most: TOKENS_MAX },
  change: afterTokens => ({ ending: { kind, afterTokens } }),
})

const failure = (kind: FailureKind, says: string): Fault => ({
  says,
  change: () => ({ failure: { kind, status: 0 } }),
})

/** All faults by name. A scenario is `name` or `name-figure`; `+` joins several. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  tokens: {
    says: 'responds with this many tokens of text',
    figure: tokens(100),
    change: textTokens => ({ textTokens }),
  },
  million: { says: 'responds with a million tokens', change: () => ({ textTokens: 1_000_000 }) },
  reasoning: {
    says: 'sends reasoning before the response text',
    figure: tokens(8),
    change: reasoningTokens => ({ reasoningTokens }),
  },
  cached: {
    says: 'reports up to this many prompt tokens as read from a cache',
    figure: tokens(1000),
    change: cachedTokens => ({ cachedTokens }),
  },
  'cache-write': {
    says: 'reports up to this many prompt tokens as written to a cache (Anthropic)',
    figure: tokens(1000),
    change: cacheWriteTokens => ({ cacheWriteTokens }),
  },
  tools: {
    says: 'calls the offered tools in turn until the last message is a tool result',
    figure: { means: 'calls', usual: 1, most: 100 },
    change: toolCalls => ({ toolCalls }),
  },
  filter: { says: 'stops with the content filter as finish reason', change: () => ({ isFiltered: true }) },
  decline: {
    says: 'declines in its response text, as a refusal (OpenAI)',
    change: () => ({ isDeclined: true }),
  },
  interleaved: {
    says: 'sends the arguments of parallel calls in turns (OpenAI)',
    change: () => ({ isInterleaved: true }),
  },
  lenient: {
    says: 'accepts unknown fields, results without a call and unknown signatures, as compatible providers do',
    change: () => ({ isLenient: true }),
  },
  huge: {
    says: 'sends a single token of this many bytes',
    figure: { means: 'bytes', usual: MIB, most: HUGE_BYTES_MAX },
    change: hugeTokenBytes => ({ hugeTokenBytes }),
  },
  'no-usage': { says: 'omits the usage', change: () => ({ usage: 'missing' }) },
  'zero-usage': { says: 'reports zero tokens of usage', change: () => ({ usage: 'zero' }) },

  'task-ms': {
    says: 'finishes a drawing or music task after this time',
    figure: ms(1000),
    change: taskMs => ({ taskMs }),
  },
  'task-fail': {
    says: 'accepts a drawing or music task, which fails in the end',
    change: () => ({ taskEnding: 'failure' }),
  },
  'task-stuck': { says: 'never finishes a drawing or music task', change: () => ({ taskEnding: 'stuck' }) },
  'task-lost': {
    says: 'forgets a drawing or music task that it accepted',
    change: () => ({ taskEnding: 'lost' }),
  },
  'task-code': {
    says: 'responds to a drawing with this code, accepting it only with 1, 21 and 22; rejects music',
    figure: { means: 'code', usual: 22, most: 100 },
    change: taskCode => ({ taskCode }),
  },

  'slow-headers': {
    says: 'waits before it sends headers',
    figure: ms(2000),
    change: headersAfterMs => ({ headersAfterMs }),
  },
  hang: {
    says: 'accepts the request and never responds',
    change: () => ({ headersAfterMs: Number.POSITIVE_INFINITY }),
  },
  'first-token': {
    says: 'sends headers, then waits before the first token',
    figure: ms(2000),
    change: firstTokenAfterMs => ({ firstTokenAfterMs }),
  },
  pace: {
    says: 'waits between tokens',
    figure: ms(40),
    change: betweenTokensMs => ({ betweenTokensMs, firstTokenAfterMs: betweenTokensMs }),
  },
  drip: {
    says: 'writes this many bytes at a time, splitting characters and line breaks',
    figure: { means: 'bytes', usual: 1, most: MIB },
    change: bytesPerWrite => ({ bytesPerWrite }),
  },

  status: {
    says: 'returns this error status in the provider’s format; 429 and 503 with retry-after: 2',
    figure: status(500),
    change: figure => ({
      failure: { kind: 'status', status: figure },
      retryAfterSeconds: figure === 429 || figure === 503 ? 2 : undefined,
    }),
  },
  'hidden-error': {
    says: 'returns the error body of this status with HTTP 200',
    figure: status(500),
    change: figure => ({ failure: { kind: 'status', status: figure }, isFailureHidden: true }),
  },
  html: {
    says: 'returns a web page with this status, as a broken proxy does',
    figure: status(502),
    change: figure => ({
      failure: { kind: 'status', status: figure },
      body: 'html',
      contentType: 'text/html',
    }),
  },
  'retry-after': {
    says: 'adds a retry-after header to an error',
    figure: { means: 'seconds', usual: 2, most: 86_400 },
    change: retryAfterSeconds => ({ retryAfterSeconds }),
  },
  'dead-key': failure('dead-key', 'rejects the key as revoked'),
  'no-money': failure('no-money', 'reports that the account is out of credit'),
  'rate-limit': failure('rate-limit', 'reports that the rate limit is exceeded'),
  'context-length': failure('context-length', 'reports that the prompt exceeds the context length'),
  'no-model': failure('no-model', 'reports that the model does not exist'),
  overloaded: failure('overloaded', 'reports that it is overloaded'),

  empty: { says: 'returns 200 with an empty body', change: () => ({ body: 'empty' }) },
  garbage: { says: 'returns 200 with meaningless bytes', change: () => ({ body: 'garbage' }) },
  'wrong-type': {
    says: 'labels a valid body as text/plain',
    change: () => ({ contentType: 'text/plain; charset=utf-8' }),
  },
  'json-for-stream': {
    says: 'returns JSON to a request for a stream',
    change: () => ({ form: 'json' }),
  },
  'stream-for-json': {
    says: 'returns a stream to a request for JSON',
    change: () => ({ form: 'stream' }),
  },

  reset: {
    says: 'resets the connection before any header',
    change: () => ({ ending: { kind: 'reset', afterTokens: 0 } }),
  },
  cut: ending('cut', 3, 'sends half an event, then resets the connection'),
  'half-event': ending('half-event', 3, 'sends half an event, then ends the body normally'),
  'no-finish': ending('no-finish', 3, 'ends the body without finish reason, usage or end marker'),
  stall: ending('stall', 3, 'stops sending and keeps the connection open'),
  chatter: ending('chatter', 3, 'stops sending output, but keeps sending keep-alive comments'),
  'error-event': ending('error-event', 3, 'sends an error event and ends the stream'),
  'broken-event': ending('broken-event', 3, 'sends an event that is not JSON and ends the body'),
  'no-end-mark': {
    says: 'omits the provider’s end-of-stream marker ([DONE], message_stop)',
    change: () => ({ hasEndMarker: false }),
  },
}
