import type { Generated } from 'kysely'

/** SQLite and PostgreSQL both keep a truth value as 0 or 1. */
type Flag = 0 | 1

/** Money reserved for one request that is still running. Closing it deletes the row, or it was closed before. */
export interface HoldTable {
  request_id: string
  user_id: number
  token_id: number | null
  /** 1 when the token has a limit of its own that moves with the wallet. */
  is_token_limited: Flag
  amount: number
  /** The process that must close it; another closes it when that one is gone. */
  process_id: string
  opened_at: number
}

/**
 * `wallet` (free balance), `held` (reserved), `invitation` (earnings not yet transferred) belong to the posting's
 * user; `token` (what a limited token may still spend) to its token; `revenue` (charges), `issued` (money that came
 * in) and `limits` (what tokens were allowed) are the gateway's.
 */
export type Account = 'wallet' | 'held' | 'invitation' | 'token' | 'revenue' | 'issued' | 'limits'

/** The books: append-only. Each row moves an amount from one account to another, so every row sums to zero. */
export interface PostingTable {
  id: Generated<number>
  kind: string
  from_account: Account
  to_account: Account
  amount: number
  user_id: number
  /** The token that was used or whose limit was set; null when none was. */
  token_id: number | null
  /** 1 when the token's limit moved the same way as the wallet. */
  is_token_limited: Generated<Flag>
  /** The channel that served a charge; null otherwise. */
  channel_id: number | null
  /** Empty for what no request caused. */
  request_id: string
  /** Who did it: a user id for management actions, 0 for the gateway. */
  actor_id: Generated<number>
  reason: Generated<string>
  created_at: number
}

export interface LogTable {
  id: Generated<number>
  request_id: string
  user_id: number
  created_at: number
  /** 1 top-up, 2 consumption, 3 management, 4 system, 5 failed request. */
  type: number
  username: string
  token_id: number
  token_name: string
  model_name: string
  channel_id: number
  group: string
  quota: number
  prompt_tokens: number
  completion_tokens: number
  /** Whole seconds, for the wire; the receipt has milliseconds. */
  use_time: number
  is_stream: Flag
  content: string
}

/** JSON text beside a log row: prices, ratios, usage buckets, attempts, rounding. Kept apart so that log rows stay narrow. */
export interface ReceiptTable {
  log_id: number
  body: string
}

/** Written with each log row of a request, so that totals, facets and charts never scan the log. */
export interface UsageHourTable {
  hour: number
  user_id: number
  token_id: number
  channel_id: number
  model_name: string
  group: string
  type: number
  count: number
  quota: number
  prompt_tokens: number
  completion_tokens: number
}

/** The same sums by day, for the days that are over. */
export interface UsageDayTable extends Omit<UsageHourTable, 'hour'> {
  day: number
}

/** The hours' sums without users and tokens, for the hours that are over. */
export type GatewayHourTable = Omit<UsageHourTable, 'user_id' | 'token_id'>

/** The days' sums without users and tokens, for the days that are over. */
export type GatewayDayTable = Omit<UsageDayTable, 'user_id' | 'token_id'>
