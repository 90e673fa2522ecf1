import { type RawBuilder, sql } from 'kysely'
import { HOLD_POSTING_ACCOUNTS } from '#server/db/billing/postings.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'

/** A posting that changed a wallet without a request: a top-up, a code, a gift. */
export interface AdjustmentRow {
  readonly id: number
  readonly kind: string
  /** Whole units; negative ones left the wallet. */
  readonly amount: number
  readonly reason: string
  /** The user who made it; 0 for the gateway. */
  readonly actor_id: number
  /** Unix seconds. */
  readonly created_at: number
}

const HOLD_KINDS = Object.keys(HOLD_POSTING_ACCOUNTS).map(kind => sql.lit(kind))
/** Reads the index `postings_adjustments`, whose condition both engines compare word by word. */
const isWalletAdjustment = (userId: number): RawBuilder<boolean> =>
  sql`kind not in (${sql.join(HOLD_KINDS)}) and user_id = ${userId} and 'wallet' in (from_account, to_account)`
const SIGNED_AMOUNT = sql<number>`case when to_account = 'wallet' then amount else -amount end`

interface AdjustmentQuery extends TimeRange {
  readonly userId: number
  readonly limit: number
}

/** Newest first. */
export async function listAdjustments(
  db: Database,
  { userId, from, until, limit }: AdjustmentQuery,
): Promise<AdjustmentRow[]> {
  const rows = await db
    .selectFrom('postings')
    .select(['id', 'kind', SIGNED_AMOUNT.as('amount'), 'reason', 'actor_id', 'created_at'])
    .where(isWalletAdjustment(userId))
    .where('created_at', '>=', from)
    .where('created_at', '<', until)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(row => ({ ...row, amount: Number(row.amount) }))
}

/** Sum of a wallet's adjustments before a second. */
export async function sumAdjustmentsBefore(db: Database, userId: number, until: number): Promise<number> {
  const row = await db
    .selectFrom('postings')
    .select(sql<number | null>`sum(${SIGNED_AMOUNT})`.as('amount'))
    .where(isWalletAdjustment(userId))
    .where('created_at', '<', until)
    .executeTakeFirst()
  return Number(row?.amount ?? 0)
}
