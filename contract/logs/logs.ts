import { z } from 'zod'
import { endpoint, IdParams, PagesFromOne, pageOf, SearchPages } from '../endpoint.ts'
import { QueryNumber, QueryText } from '../fields.ts'
import { AllFilters, OwnFilters } from './log-filters.ts'

/** Type: 1 top-up, 2 consumption, 3 management, 4 system, 5 failed request. */
export const LogEntry = z.object({
  id: z.number(),
  request_id: z.string(),
  user_id: z.number(),
  created_at: z.number(),
  type: z.number(),
  content: z.string(),
  username: z.string(),
  token_id: z.number(),
  token_name: z.string(),
  model_name: z.string(),
  quota: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  /** Whole seconds. */
  use_time: z.number(),
  is_stream: z.boolean(),
  /** The channel's id; 0 in answers to ordinary users. */
  channel: z.number(),
  channel_name: z.string(),
  group: z.string(),
  /** JSON text that fits `LogDetail`; empty for rows without one. */
  other: z.string(),
})
export type LogEntry = z.infer<typeof LogEntry>

const BillLine = z.object({
  bucket: z.string(),
  tokens: z.number(),
  ratio: z.number(),
  /** Exact decimal text, in quota units before rounding. */
  amount: z.string(),
})

const LoggedAttempt = z.object({
  /** Only for administrators. */
  channel_id: z.number().optional(),
  channel_name: z.string().optional(),
  status: z.number(),
  ms: z.number(),
  code: z.string().optional(),
})

/** A channel that could have answered. */
const LoggedCandidate = z.object({
  channel_id: z.number().optional(),
  channel_name: z.string().optional(),
  priority: z.number(),
  weight: z.number(),
  /** Why it was passed over or asked last: its circuit was open, its keys were resting, it was at a limit. */
  obstacle: z.string().optional(),
})

/** What stands behind a row: prices, tokens by kind, the bill line by line, and the attempts in order. */
export const LogDetail = z.object({
  group: z.string().optional(),
  model_ratio: z.number().optional(),
  completion_ratio: z.number().optional(),
  group_ratio: z.number().optional(),
  /** Dollars per call; -1 when the price is per token. */
  model_price: z.number().optional(),
  cache_ratio: z.number().optional(),
  cache_tokens: z.number().optional(),
  cache_creation_ratio: z.number().optional(),
  cache_creation_tokens: z.number().optional(),
  /** Of them, kept for an hour. */
  cache_creation_tokens_1h: z.number().optional(),
  cache_creation_ratio_1h: z.number().optional(),
  /** Milliseconds to the first token; -1000 when nothing was streamed. */
  frt: z.number().optional(),
  use_ms: z.number().optional(),
  /** As the client asked for it. */
  reasoning_effort: z.string().optional(),
  is_model_mapped: z.boolean().optional(),
  upstream_model_name: z.string().optional(),
  /** Only for administrators: channel ids in the order in which they were tried. */
  admin_info: z.object({ use_channel: z.array(z.string()) }).optional(),
  /** A realtime conversation; its tokens are told as those of sound are. */
  ws: z.boolean().optional(),
  audio: z.boolean().optional(),
  audio_input: z.number().optional(),
  audio_output: z.number().optional(),
  text_input: z.number().optional(),
  text_output: z.number().optional(),
  audio_ratio: z.number().optional(),
  audio_completion_ratio: z.number().optional(),
  image_ratio: z.number().optional(),
  /** Tokens of pictures that went in. */
  image_input: z.number().optional(),
  /** Pictures that were made, each counted by what its size and quality make of a plain one. */
  images: z.number().optional(),
  reasoning_tokens: z.number().optional(),
  is_estimated: z.boolean().optional(),
  provenance: z.string().optional(),
  /** `exact`: the sum of the lines as decimal text, before it was rounded to the row's quota. `hold`: units reserved. */
  bill: z.object({ lines: z.array(BillLine), exact: z.string(), hold: z.number() }).optional(),
  /** Why a failed request failed. */
  error: z.object({ status: z.number(), code: z.string() }).optional(),
  /** How the answer ended. */
  ending: z.string().optional(),
  attempts: z.array(LoggedAttempt).optional(),
  /** In the order of trial; only where there was a choice. For administrators. */
  candidates: z.array(LoggedCandidate).optional(),
})
export type LogDetail = z.infer<typeof LogDetail>

const LogPage = pageOf(LogEntry)

export const listLogs = endpoint({
  method: 'GET',
  path: '/api/log/',
  role: 'admin',
  summary: 'Log rows, newest first; pages count from 1',
  query: PagesFromOne.extend(AllFilters.shape),
  reply: LogPage,
})

export const listSelfLogs = endpoint({
  method: 'GET',
  path: '/api/log/self',
  role: 'user',
  summary: 'Own log rows, newest first; pages count from 1',
  query: PagesFromOne.extend(OwnFilters.shape),
  reply: LogPage,
})

export const getLog = endpoint({
  method: 'GET',
  path: '/api/log/:id',
  role: 'admin',
  summary: 'One log row',
  params: IdParams,
  reply: LogEntry,
})

export const getSelfLog = endpoint({
  method: 'GET',
  path: '/api/log/self/:id',
  role: 'user',
  summary: 'One own log row',
  params: IdParams,
  reply: LogEntry,
})

/** `rpm` and `tpm` are requests and tokens of the last 60 seconds; the rest follows the filters. */
export const listTokenLogs = endpoint({
  method: 'GET',
  path: '/api/log/token',
  role: 'visitor',
  summary: 'Log rows of one token, newest first, for whoever has its key; open to pages of any site',
  query: z.object({ ...SearchPages.shape, p: PagesFromOne.shape.p, key: QueryText }),
  reply: z.array(LogEntry),
  produces: 'application/json',
})

export const LogStat = z.object({
  quota: z.number(),
  rpm: z.number(),
  tpm: z.number(),
  count: z.number(),
  errors: z.number(),
  tokens: z.number(),
})
export type LogStat = z.infer<typeof LogStat>

export const getLogStat = endpoint({
  method: 'GET',
  path: '/api/log/stat',
  role: 'admin',
  summary: 'Totals of the rows that match',
  query: AllFilters,
  reply: LogStat,
})

export const getSelfLogStat = endpoint({
  method: 'GET',
  path: '/api/log/self/stat',
  role: 'user',
  summary: 'Totals of the own rows that match',
  query: OwnFilters,
  reply: LogStat,
})

const HistogramQuery = {
  split: z.enum(['outcome', 'model']).catch('outcome'),
  /** The caller's offset from UTC, so that days begin at local midnight. */
  utc_offset_minutes: QueryNumber,
}

/** `name` is `success` or `error`, or a model name; the smaller models are summed under an empty name. */
export const Histogram = z.object({
  bucket_seconds: z.number(),
  points: z.array(
    z.object({
      start: z.number(),
      name: z.string(),
      count: z.number(),
      quota: z.number(),
      tokens: z.number(),
    }),
  ),
})
export type Histogram = z.infer<typeof Histogram>

export const getLogHistogram = endpoint({
  method: 'GET',
  path: '/api/log/histogram',
  role: 'admin',
  summary: 'Requests over time, by hour or day',
  query: AllFilters.extend(HistogramQuery),
  reply: Histogram,
})

export const getSelfLogHistogram = endpoint({
  method: 'GET',
  path: '/api/log/self/histogram',
  role: 'user',
  summary: 'Own requests over time, by hour or day',
  query: OwnFilters.extend(HistogramQuery),
  reply: Histogram,
})

const FacetValue = z.object({ value: z.string(), count: z.number() })
const NamedFacetValue = z.object({ id: z.number(), value: z.string(), count: z.number() })

/** The values that occur in the range with their number of requests, most frequent first, at most 50 each. */
export const Facets = z.object({
  models: z.array(FacetValue),
  groups: z.array(FacetValue),
  types: z.array(FacetValue),
  tokens: z.array(NamedFacetValue),
  /** Empty in answers to ordinary users. */
  channels: z.array(NamedFacetValue),
  users: z.array(NamedFacetValue),
})
export type Facets = z.infer<typeof Facets>

export const getLogFacets = endpoint({
  method: 'GET',
  path: '/api/log/facets',
  role: 'admin',
  summary: 'Filter values with their counts',
  query: AllFilters,
  reply: Facets,
})

export const getSelfLogFacets = endpoint({
  method: 'GET',
  path: '/api/log/self/facets',
  role: 'user',
  summary: 'Filter values of the own rows with their counts',
  query: OwnFilters,
  reply: Facets,
})

/** An export ends after this many rows. */
export const LOG_EXPORT_ROWS_MAX = 100_000

export const exportLogs = endpoint({
  method: 'GET',
  path: '/api/log/export',
  role: 'admin',
  summary: `The rows that match as CSV, at most ${LOG_EXPORT_ROWS_MAX}`,
  query: AllFilters,
  produces: 'text/csv',
})

export const exportSelfLogs = endpoint({
  method: 'GET',
  path: '/api/log/self/export',
  role: 'user',
  summary: `The own rows that match as CSV, at most ${LOG_EXPORT_ROWS_MAX}`,
  query: OwnFilters,
  produces: 'text/csv',
})

const query = z.object({ keyword: QueryText })

export const searchLogs = endpoint({
  method: 'GET',
  path: '/api/log/search',
  role: 'admin',
  summary:
    'The newest 100 rows of a type, or, among the newest 20,000, whose text begins so; `/api/log/` filters better',
  query,
  reply: z.array(LogEntry),
})

export const searchSelfLogs = endpoint({
  method: 'GET',
  path: '/api/log/self/search',
  role: 'user',
  summary: 'As the search of all rows, of the own ones',
  query,
  reply: z.array(LogEntry),
})
