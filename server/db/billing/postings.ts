import { bulkInsert, bulkStatement, insertInto } from '../engine/bulk.ts'
import type { Account } from '../engine/tables.ts'

/** What happens to a hold between opening and closing, each posted by itself. */
export type SingleMove = 'hold' | 'extension' | 'overrun' | 'charge' | 'release'

interface PostingOfHold {
  readonly user_id: number
  readonly token_id: number | null
  readonly is_token_limited: 0 | 1
  readonly request_id: string
}

export interface HoldPostingRow extends PostingOfHold {
  readonly amount: number
  /** Of a charge only. */
  readonly channel_id: number | null
}

/** A charge and what is left of its hold, which goes back. */
export interface SettlementRow extends PostingOfHold {
  readonly charge: number
  readonly rest: number
  readonly channel_id: number
}

const HOLD_COLUMNS = [
  'created_at',
  'amount',
  'user_id',
  'token_id',
  'is_token_limited',
  'channel_id',
  'request_id',
] as const

const INTO_POSTINGS = insertInto('postings', ['kind', 'from_account', 'to_account', ...HOLD_COLUMNS])

/** Everything else. */
export const insertPostings = bulkInsert('postings', [
  'kind',
  'from_account',
  'to_account',
  'actor_id',
  'reason',
  ...HOLD_COLUMNS,
])

const insertMoves = (kind: SingleMove, from: Account, to: Account) =>
  bulkStatement<HoldPostingRow>({
    text: INTO_POSTINGS,
    rowText: (cells, shared) => `('${kind}', '${from}', '${to}', ${[...shared, ...cells].join(', ')})`,
    addCells: (row, cells) =>
      void cells.push(
        row.amount,
        row.user_id,
        row.token_id,
        row.is_token_limited,
        row.channel_id,
        row.request_id,
      ),
  })

/** Each move of a hold goes between two accounts of its own. The moment, in Unix seconds, is the cell they share. */
export const insertHoldPostings = {
  hold: insertMoves('hold', 'wallet', 'held'),
  extension: insertMoves('extension', 'wallet', 'held'),
  overrun: insertMoves('overrun', 'wallet', 'held'),
  charge: insertMoves('charge', 'held', 'revenue'),
  release: insertMoves('release', 'held', 'wallet'),
} as const satisfies Readonly<Record<SingleMove, unknown>>

/** Two postings for each: most requests cost less than was held, and a cell is cheaper named twice than bound twice. */
export const insertSettlements = bulkStatement<SettlementRow>({
  text: INTO_POSTINGS,
  rowText: ([charge, user, token, isLimited, channel, request, rest], [moment]) =>
    `('charge', 'held', 'revenue', ${moment}, ${charge}, ${user}, ${token}, ${isLimited}, ${channel}, ${request}),
     ('rest', 'held', 'wallet', ${moment}, ${rest}, ${user}, ${token}, ${isLimited}, null, ${request})`,
  addCells: (row, cells) =>
    void cells.push(
      row.charge,
      row.user_id,
      row.token_id,
      row.is_token_limited,
      row.channel_id,
      row.request_id,
      row.rest,
    ),
})

/** In the order in which they are written. */
export const SINGLE_MOVES = Object.keys(insertHoldPostings) as readonly SingleMove[]
