import type { Account } from './book-tables.ts'
import { bulk, bulkInsert, insertInto } from './bulk.ts'

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

const insertMoves = (kind: HoldMove, from: Account, to: Account) =>
  bulk<HoldPostingRow>({
    text: insertInto('postings', ['kind', 'from_account', 'to_account', ...HOLD_COLUMNS]),
    same: [kind, from, to],
    addCells: (row, cells) =>
      void cells.push(
        row.amount,
        row.user_id,
        row.token_id,
        row.is_token_limited,
        row.channel_id,
        row.request_id,
        row.created_at,
      ),
  })

/** Each move of a hold goes between two accounts of its own. */
export const insertHoldPostings = {
  hold: insertMoves('hold', 'wallet', 'held'),
  extension: insertMoves('extension', 'wallet', 'held'),
  overrun: insertMoves('overrun', 'wallet', 'held'),
  charge: insertMoves('charge', 'held', 'revenue'),
  rest: insertMoves('rest', 'held', 'wallet'),
  release: insertMoves('release', 'held', 'wallet'),
} as const satisfies Readonly<Record<HoldMove, unknown>>

/** In the order in which they are written. */
export const HOLD_MOVES = Object.keys(insertHoldPostings) as readonly HoldMove[]
