import type { Generated } from 'kysely'

/** Money reserved for a running request. Closing the hold deletes the row. */
export interface HoldTable {
  request_id: string
  user_id: number
  token_id: number | null
  /** 1 when the token has a limit of its own, which moves together with the wallet. */
  is_token_limited: 0 | 1
  amount: number
  /** The process that must close the hold; another one closes it when that process is gone. */
  process_id: string
  opened_at: number
  /** The shares of budgets that the hold takes, as JSON text; null without any. */
  budgets: string | null
  /** The subscription that pays instead of wallet and token; null without one. */
  paid_by: number | null
}

/**
 * `wallet` (free balance), `held` (reserved) and `invitation` (earnings not yet transferred) belong to the posting's user,
 * `token` (the remaining limit) to its token. `revenue` (charges), `issued` (money that came in) and `limits` (the sum of
 * token limits) belong to the gateway. `usage` and `requests` are what a user, a token or a channel consumed at another
 * gateway before an import, counted from `elsewhere`: neither is money of this gateway. What a user paid for a subscription is
 * `owed` until its days have `earned` it. `allowance` is the list price of what subscriptions covered: no money either.
 */
export type Account =
  | 'wallet'
  | 'held'
  | 'invitation'
  | 'token'
  | 'revenue'
  | 'issued'
  | 'limits'
  | 'usage'
  | 'requests'
  | 'elsewhere'
  | 'owed'
  | 'earned'
  | 'allowance'

/** The double-entry ledger: append-only. Each row moves an amount from one account to another, so every row sums to zero. */
export interface PostingTable {
  id: Generated<number>
  kind: string
  from_account: Account
  to_account: Account
  amount: number
  user_id: number
  /** The token that was used or whose limit was set; null without one. */
  token_id: number | null
  /** 1 when the token's limit moved together with the wallet. */
  is_token_limited: Generated<0 | 1>
  /** The channel that served a charge; null otherwise. */
  channel_id: number | null
  /** Empty when no request caused the posting. */
  request_id: string
  /** The user behind a management action; 0 for the gateway. */
  actor_id: Generated<number>
  reason: Generated<string>
  created_at: number
}

/** The charges of a user by hour. */
export interface ChargeHourTable {
  user_id: number
  /** Unix seconds of the hour's start. */
  hour: number
  amount: number
  count: number
}

/** Which row of another gateway became which row here, so that a second import brings only what is new. */
export interface ImportRowTable {
  /** Identifies the other installation. */
  source: string
  kind: string
  source_id: string
  /** The row here; 0 where there is none of its own, as for options and logs. */
  id: number
}

/** The usage in imported log rows, which no charge of this gateway matches. */
export interface ImportUsageTable {
  user_id: number
  quota: number
  requests: number
}
