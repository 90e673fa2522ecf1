import { sql } from 'kysely'
import type { Database } from '../engine/database.ts'
import { isCall, isFailure, type LogFilter, type TimeRange } from '../logs/log-filter.ts'
import { trafficSource } from './usage-days.ts'

export interface CallTotals {
  /** Charged units. */
  readonly quota: number
  readonly count: number
  readonly errors: number
  readonly tokens: number
}

/** Sums up the model calls in the whole hours of the range. */
export async function sumUsage(db: Database, filter: LogFilter, range: TimeRange): Promise<CallTotals> {
  const { rows } = await sql<Record<keyof CallTotals, number | null>>`select
      sum(quota) as quota, sum(count) as count, sum(prompt_tokens + completion_tokens) as tokens,
      sum(case when ${isFailure} then count else 0 end) as errors
    from ${await trafficSource(db, filter, range)}
    where ${isCall}`.execute(db)
  return toCallTotals(rows[0])
}

export const toCallTotals = (
  row: Partial<Record<keyof CallTotals, number | string | null>> = {},
): CallTotals => ({
  quota: Number(row.quota ?? 0),
  count: Number(row.count ?? 0),
  errors: Number(row.errors ?? 0),
  tokens: Number(row.tokens ?? 0),
})
