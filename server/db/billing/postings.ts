import { bulkInsert, singleStatement } from '../engine/bulk.ts'
import type { Connection } from '../engine/database.ts'
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

const POSTINGS_PER_READ = 50_000

const readNewestId = singleStatement<{ readonly id: number | null }>('select max(id) as id from postings')
const readCharges = singleStatement<{ readonly request_id: string; readonly created_at: number }>(
  `select request_id, created_at from postings where id > $1 and id <= $2 and kind = 'charge'`,
)

/**
 * Those of these requests that were charged since a Unix second. Reads the postings from the newest back, which have no index
 * by request: only a settlement without its hold asks.
 */
export async function findCharged(
  connection: Connection,
  requestIds: readonly string[],
  sinceSeconds: number,
): Promise<ReadonlySet<string>> {
  const sought = new Set(requestIds)
  const [newest] = await readNewestId(connection)
  for (let last = newest?.id ?? 0; last > 0; last -= POSTINGS_PER_READ) {
    const charges = await readCharges(connection, last - POSTINGS_PER_READ, last)
    for (const { request_id } of charges) sought.delete(request_id)
    const isEarlier = charges.length > 0 && charges.every(({ created_at }) => created_at < sinceSeconds)
    if (isEarlier || sought.size === 0) break
  }
  return new Set(requestIds.filter(requestId => !sought.has(requestId)))
}
