import { instantOf, type OffsetChange } from '../../core/time-zone.ts'
import { bulkInsert } from '../engine/bulk.ts'
import type { Database } from '../engine/database.ts'
import type { ChargeHourTable } from '../engine/ledger-tables.ts'
import type { TimeRange } from '../logs/log-filter.ts'
import { slotStart } from '../usage/local-slots.ts'

export type ChargeHourRow = Readonly<ChargeHourTable>

/**
 * Adds to the rows of hours, or inserts them. Pass each user at most once, sorted, so that all processes lock rows in the
 * same order.
 */
export const addToChargeHours = bulkInsert(
  'charge_hours',
  ['user_id', 'hour', 'amount', 'count'],
  `on conflict ("user_id", "hour") do update set amount = charge_hours.amount + excluded.amount,
    count = charge_hours.count + excluded.count`,
)

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

const DAY_SECONDS = 86_400

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
