import type { Account } from './book-tables.ts'
import { bulkInsert } from './bulk.ts'

/** What happens to a hold between opening and closing. */
export type HoldMove = 'hold' | 'extension' | 'overrun' | 'charge' | 'rest' | 'release'

export interface HoldPostingRow {
  readonly amount: number
  readonly user_id: number
  readonly token_id: number | null
  readonly is_token_limited: 0 | 1
  /** Of a charge only. */
  readonly channel_id: number | null
  readonly request_id: string
  readonly created_at: number
}

const HOLD_COLUMNS = [
  'amount',
  'user_id',
  'token_id',
  'is_token_limited',
  'channel_id',
  'request_id',
  'created_at',
] as const

/** Everything else. */
export const insertPostings = bulkInsert('postings', [
  'kind',
  'from_account',
  'to_account',
  'actor_id',
  'reason',
  ...HOLD_COLUMNS,
])

const insertMoves = (kind: HoldMove, from_account: Account, to_account: Account) =>
  bulkInsert('postings', HOLD_COLUMNS, '', { kind, from_account, to_account })

/** Each move of a hold goes between two accounts of its own. */
export const insertHoldPostings = {
  hold: insertMoves('hold', 'wallet', 'held'),
  extension: insertMoves('extension', 'wallet', 'held'),
  overrun: insertMoves('overrun', 'wallet', 'held'),
  charge: insertMoves('charge', 'held', 'revenue'),
  rest: insertMoves('rest', 'held', 'wallet'),
  release: insertMoves('release', 'held', 'wallet'),
} as const satisfies Readonly<Record<HoldMove, unknown>>
