import { type RawBuilder, sql } from 'kysely'
import { instantOf, type OffsetChange } from '#server/core/time-zone.ts'
import { HOLD_POSTING_ACCOUNTS } from '#server/db/billing/postings.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'
import { slotStart } from '#server/db/usage/local-slots.ts'
import { DAY_SECONDS } from '#server/db/usage/usage-days.ts'

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

const SIGNED_AMOUNT = sql<number>`case when to_account = 'wallet' then amount else -amount end`

interface AdjustmentQuery extends TimeRange {
  readonly userId: number
  readonly limit: number
}

export interface ChargeDay {
  /** Unix seconds of the day's start and end where the reader is. */
  readonly day: number
  readonly end: number
  readonly amount: number
  readonly count: number
}

interface ChargeDayQuery extends TimeRange {
  readonly userId: number
  /** By which local days begin. */
  readonly offsets: readonly OffsetChange[]
}

const HOLD_KINDS = Object.keys(HOLD_POSTING_ACCOUNTS).map(kind => sql.lit(kind))

/** Reads the index `postings_adjustments`, whose condition both engines compare word by word. */
const isWalletAdjustment = (userId: number): RawBuilder<boolean> =>
  sql`kind not in (${sql.join(HOLD_KINDS)}) and user_id = ${userId} and 'wallet' in (from_account, to_account)`

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

/** The charges of a user by day, newest first. An hour belongs to the day in which it starts. */
export async function listChargeDays(
  db: Database,
  { userId, from, until, offsets }: ChargeDayQuery,
): Promise<ChargeDay[]> {
  const day = slotStart('hour', { seconds: DAY_SECONDS, offsets })
  const rows = await db
    .selectFrom('charge_hours')
    .select(e => [day.as('day'), e.fn.sum('amount').as('amount'), e.fn.sum('count').as('count')])
    .where('user_id', '=', userId)
    .where('hour', '>=', from)
    .where('hour', '<', until)
    .groupBy(day)
    .orderBy('day', 'desc')
    .execute()
  return rows.map(row => ({
    day: instantOf(Number(row.day), offsets),
    end: instantOf(Number(row.day) + DAY_SECONDS, offsets),
    amount: Number(row.amount),
    count: Number(row.count),
  }))
}

/** The sum of a user's charges in the hours that start before a second. */
export async function sumChargesBefore(db: Database, userId: number, until: number): Promise<number> {
  const { amount } = await db
    .selectFrom('charge_hours')
    .select(e => e.fn.sum('amount').as('amount'))
    .where('user_id', '=', userId)
    .where('hour', '<', until)
    .executeTakeFirstOrThrow()
  return Number(amount ?? 0)
}
