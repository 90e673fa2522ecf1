import { nowSeconds, repeatAfterMs } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Database } from '../db/engine/database.ts'
import type { Engine } from '../db/migrations/migration.ts'
import type { Readers } from '../db/readers/readers.ts'
import { CommittedLogs } from '../db/usage/committed-logs.ts'
import { countEarlierRequests, countNewRequests } from '../db/usage/count-requests.ts'
import { rollUpTotals } from '../db/usage/roll-up-totals.ts'

/**
 * What was not counted before the start, such as the last seconds of it, would be missing until then. PostgreSQL tells only with
 * the second count what the first may have missed.
 */
const FIRST_COUNTS_MS = 2000
const FIRST_COUNTS = 2
const COUNT_INTERVAL_MS = 10_000
const ROLL_UP_INTERVAL_MS = 10 * 60_000
/** Earlier rows between two counts of new ones: a few seconds of work. */
const EARLIER_ROWS_AT_ONCE = 50_000

interface AnalyticsJobDeps {
  readonly db: Database
  readonly engine: Engine
  readonly readers: Pick<Readers, 'forCaller'>
  readonly log: Logger
}

/**
 * Counts requests for analytics from log rows and receipts, apart from their settlement, and adds them up by hour and day.
 * The returned function stops the job.
 */
export function startAnalytics({ db, engine, readers, log }: AnalyticsJobDeps): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const deps = { db, engine, reader: readers.forCaller({ key: 'analytics' }), signal }
  const committed = new CommittedLogs(engine)
  let rolledUpAtSeconds = 0
  let counts = 0
  const stop = repeatAfterMs(FIRST_COUNTS_MS, async () => {
    counts += 1
    const pauseMs = counts < FIRST_COUNTS ? FIRST_COUNTS_MS : COUNT_INTERVAL_MS
    try {
      const now = nowSeconds()
      await countNewRequests(deps, await committed.find(db), now)
      const isBehind = await countEarlierRequests(deps, EARLIER_ROWS_AT_ONCE, now)
      if (!isBehind && now - rolledUpAtSeconds < ROLL_UP_INTERVAL_MS / 1000) return pauseMs
      rolledUpAtSeconds = now
      await rollUpTotals(deps, now)
    } catch (error) {
      if (!signal.aborted)
        log.error('requests could not be counted for analytics', { reason: errorMessage(error) })
    }
    return pauseMs
  })
  return () => {
    stopping.abort()
    return stop()
  }
}
