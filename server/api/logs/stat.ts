import type { LogStat } from '#contract/logs/logs.ts'
import { nowSeconds } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'
import { sumLogs } from '../../db/log-reads.ts'
import { sumUsage, type CallTotals } from '../../db/usage-reads.ts'
import type { Wanted } from './filter-of.ts'

const CONSUMPTION = 2
const RECENT_SECONDS = 60

/** Totals of the model calls that match, whatever type was asked for, and the rate of the last minute. */
export async function statOf(db: Database, { filter: asked, range }: Wanted): Promise<LogStat> {
  const filter = { ...asked, types: [], without: { ...asked.exclude, types: [] } }
  const now = nowSeconds()
  const lastMinute = { from: now - RECENT_SECONDS, until: now + 1 }
  const [recent, ...parts] = await Promise.all([
    sumLogs(db, { ...filter, types: [CONSUMPTION] }, lastMinute),
    ...(filter.requestId === ''
      ? [sumUsage(db, filter, range.hours), ...range.edges.map(edge => sumLogs(db, filter, edge))]
      : [sumLogs(db, filter, range)]),
  ])
  return { ...parts.reduce(plus), rpm: recent.count, tpm: recent.tokens }
}

const plus = (a: CallTotals, b: CallTotals): CallTotals => ({
  quota: a.quota + b.quota,
  count: a.count + b.count,
  errors: a.errors + b.errors,
  tokens: a.tokens + b.tokens,
})
