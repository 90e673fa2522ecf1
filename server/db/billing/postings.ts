import { bulkInsert, bulkStatement } from '../engine/bulk.ts'
import type { Account } from '../engine/ledger-tables.ts'

/**
 * The postings of a hold and the accounts between which they move money: `rest` returns what a settlement leaves of the
 * hold, `overrun` covers the part of a charge that exceeds it.
 */
export const HOLD_POSTING_ACCOUNTS = {
  hold: { from: 'wallet', to: 'held' },
  extension: { from: 'wallet', to: 'held' },
  overrun: { from: 'wallet', to: 'held' },
  charge: { from: 'held', to: 'revenue' },
  rest: { from: 'held', to: 'wallet' },
  release: { from: 'held', to: 'wallet' },
} as const satisfies Readonly<Record<string, { readonly from: Account; readonly to: Account }>>

/** The charge of a request that a subscription covers, at list price. */
export const PLAN_CHARGE_ACCOUNTS = { from: 'allowance', to: 'revenue' } as const

export type HoldPostingKind = keyof typeof HOLD_POSTING_ACCOUNTS

export interface HoldPostingRow {
  readonly kind: HoldPostingKind
  readonly from_account: Account
  readonly to_account: Account
  readonly amount: number
  readonly user_id: number
  readonly token_id: number | null
  readonly is_token_limited: 0 | 1
  /** The channel that served a charge; null for all other kinds. */
  readonly channel_id: number | null
  readonly request_id: string
  /** Unix seconds. */
  readonly created_at: number
}

/** The kind of postings by which balances of another gateway arrive. */
export const IMPORT_KIND = 'import'

const COLUMNS = [
  'kind',
  'from_account',
  'to_account',
  'amount',
  'user_id',
  'token_id',
  'is_token_limited',
  'channel_id',
  'request_id',
  'created_at',
] as const

/** Inserts the postings of holds, which have neither an actor nor a reason. */
export const insertHoldPostings = bulkInsert('postings', COLUMNS)

/** Inserts postings with the user who caused them and a reason. */
export const insertPostings = bulkInsert('postings', [...COLUMNS, 'actor_id', 'reason'])

/** How requests were closed: each close leaves one of these postings, except for a free request that was not logged. */
export const findClosings = bulkStatement<string, { request_id: string; kind: 'charge' | 'release' }>({
  text: rows =>
    `select request_id, kind from postings where request_id in (${rows}) and kind in ('charge', 'release')`,
  addCells: (requestId, cells) => cells.push(requestId),
  cellType: 'text',
})
