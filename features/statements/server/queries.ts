import { type RawBuilder, sql } from 'kysely'
import { instantOf, type OffsetChange } from '#server/core/time-zone.ts'
import { HOLD_POSTING_ACCOUNTS } from '#server/db/billing/postings.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'
import { analyticsSource } from '#server/db/usage/analytics-source.ts'
import { slotStart } from '#server/db/usage/local-slots.ts'
import { DAY_SECONDS } from '#server/db/usage/usage-days.ts'

const HOUR_SECONDS = 3600

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

/** What a user was charged in the hours that start in a period, and for how many requests. */
export async function sumCharges(
  db: Database,
  { userId, from, until }: TimeRange & { readonly userId: number },
): Promise<Pick<ChargeDay, 'amount' | 'count'>> {
  const { amount, count } = await db
    .selectFrom('charge_hours')
    .select(e => [e.fn.sum('amount').as('amount'), e.fn.sum('count').as('count')])
    .where('user_id', '=', userId)
    .where('hour', '>=', from)
    .where('hour', '<', until)
    .executeTakeFirstOrThrow()
  return { amount: Number(amount ?? 0), count: Number(count ?? 0) }
}

export interface ModelCharges {
  readonly model: string
  /** Without failed ones. */
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Units. */
  readonly amount: number
}

interface ModelChargesQuery extends TimeRange {
  readonly userId: number
  readonly limit: number
}

const COUNTED = [
  'model_name',
  'requests',
  'errors',
  'quota',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'audio_input_tokens',
  'image_input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'audio_output_tokens',
] as const

/**
 * A user's charges by model in the hours that start in a period, the largest first. Those of the last minute are missing, and
 * in a period of more than five weeks ago those of its edges that are no whole day of UTC.
 */
export async function listModelCharges(
  db: Database,
  { userId, from, until, limit }: ModelChargesQuery,
): Promise<ModelCharges[]> {
  const source = analyticsSource(
    {
      range: { from: nextHour(from), until: nextHour(until) },
      grain: 'day',
      // What a plan pays, the wallet does not.
      filter: { user: [userId], plan: [''] },
      dimensions: ['model'],
    },
    COUNTED,
  )
  const { rows } = await sql<ModelCharges>`select model_name as model, sum(requests - errors) as requests,
      sum(input_tokens + cached_input_tokens + cache_write_tokens + audio_input_tokens + image_input_tokens)
        as "inputTokens",
      sum(output_tokens + reasoning_tokens + audio_output_tokens) as "outputTokens", sum(quota) as amount
    from ${source} group by model_name having sum(quota) <> 0 or sum(requests - errors) > 0
    order by amount desc, model limit ${sql.lit(limit)}`.execute(db)
  return rows.map(row => ({
    model: row.model,
    requests: Number(row.requests),
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
    amount: Number(row.amount),
  }))
}

const nextHour = (seconds: number): number => Math.ceil(seconds / HOUR_SECONDS) * HOUR_SECONDS
