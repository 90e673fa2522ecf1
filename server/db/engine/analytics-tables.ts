import type { Generated } from 'kysely'

/** Sums over requests: log rows of model calls, charged or failed. */
export interface AnalyticsSums {
  requests: number
  /** Failed requests. */
  errors: number
  /** Charged units. */
  quota: number
  /** Total cost of the requests with a known cost, in billionths of a dollar. */
  cost_nanos: number
  /** Units charged for the requests with a known cost. */
  costed_quota: number
  /** Tokens in buckets that do not overlap. */
  input_tokens: number
  cached_input_tokens: number
  cache_write_tokens: number
  audio_input_tokens: number
  image_input_tokens: number
  output_tokens: number
  reasoning_tokens: number
  audio_output_tokens: number
}

/** Distributions of milliseconds over charged requests, as text of `server/core/sketch.ts`. */
interface AnalyticsSketches {
  first_token: string
  duration: string
}

/** Totals without users and tokens. */
interface GatewayTotals extends AnalyticsSums, AnalyticsSketches {
  channel_id: number
  model_name: string
  group: string
  /** The client's format; empty where receipts do not say it. */
  dialect: string
  /** Status and code of failed requests; otherwise empty. */
  error: string
  /** Empty for requests served without a region of their own. */
  region: string
  /** The name of the plan whose subscription paid; empty for what a wallet paid. */
  plan: string
}

export interface AnalyticsTotals extends GatewayTotals {
  user_id: number
  token_id: number
}

/** Totals of recent minutes, in rows that are only ever added. */
export interface AnalyticsMinuteTable extends AnalyticsTotals {
  id: Generated<number>
  /** Unix seconds of the minute's start. */
  minute: number
}

/**
 * Totals by hour in parts: each run of the roll-up adds one, so that nothing is ever rewritten, and an hour is the sum of
 * its rows. The id is unique: the number of the part × 1,000,000 + the number within the part.
 */
export interface AnalyticsHourTable extends AnalyticsTotals {
  hour: number
  id: number
}

export interface AnalyticsDayTable extends AnalyticsTotals {
  /** Unix seconds of the day's start, UTC. */
  day: number
  id: number
}

export interface AnalyticsGatewayHourTable extends GatewayTotals {
  hour: number
  id: number
}

export interface AnalyticsGatewayDayTable extends GatewayTotals {
  day: number
  id: number
}

export interface AnalyticsCursorTable {
  /** The source of the next batch: new log rows, earlier ones (from the newest), hours, days. */
  name: 'requests' | 'earlier' | 'hours' | 'days'
  /** The last id of the source that is counted; of `earlier` the first. */
  done: number
  /** The last id of the part being written; `done` between two parts. */
  next: number
  /** The number of complete parts. Rows of later parts do not count yet. */
  part: number
}

/** The analytics of a request without log row and receipt, until it is counted. */
export interface UnloggedRequestTable {
  id: Generated<number>
  created_at: number
  type: number
  user_id: number
  token_id: number
  channel_id: number
  model_name: string
  group: string
  quota: number
  prompt_tokens: number
  completion_tokens: number
  error: string
  /** JSON text of the receipt. */
  body: string
}
