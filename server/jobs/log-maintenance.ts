import { everyMs, nowSeconds } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Database } from '../db/engine/database.ts'
import { createLogMonths } from '../db/logs/log-months.ts'
import type { Engine } from '../db/migrations/migration.ts'
import type { Readers } from '../db/readers/readers.ts'
import { rollUpDays, rollUpGatewayDays, rollUpHours } from '../db/usage/roll-ups.ts'

const PARTITION_INTERVAL_MS = 3_600_000
const LEAD_SECONDS = 70 * 24 * 3600

interface LogPartitioningDeps {
  readonly db: Database
  readonly engine: Engine
  readonly log: Logger
}

/**
 * Creates the log partitions of this and the coming months ahead of time, on PostgreSQL, where logs are partitioned by
 * month. Resolves when the current partitions exist; the returned function stops the job.
 */
export async function startLogPartitioning({
  db,
  engine,
  log,
}: LogPartitioningDeps): Promise<() => Promise<void>> {
  if (engine === 'sqlite') return async () => undefined
  const createPartitions = async () => {
    const now = nowSeconds()
    try {
      await createLogMonths(db, { from: now, until: now + LEAD_SECONDS })
    } catch (error) {
      log.warn('log partitions could not be created ahead of time', { reason: errorMessage(error) })
    }
  }
  await createPartitions()
  return everyMs(PARTITION_INTERVAL_MS, createPartitions)
}

const ROLL_UP_INTERVAL_MS = 10 * 60_000

interface RollUpJobDeps {
  readonly db: Database
  readonly readers: Pick<Readers, 'forCaller'>
  readonly log: Logger
}

/** Aggregates completed hours and days, so that statistics over months are fast. The returned function stops the job. */
export function startRollUps({ db, readers, log }: RollUpJobDeps): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const deps = { db, reader: readers.forCaller({ key: 'roll-ups' }), signal }
  const stop = everyMs(ROLL_UP_INTERVAL_MS, async () => {
    try {
      const now = nowSeconds()
      await rollUpHours(deps, now)
      await rollUpDays(deps, now)
      await rollUpGatewayDays(deps)
    } catch (error) {
      if (!signal.aborted) log.error('usage could not be rolled up', { reason: errorMessage(error) })
    }
  })
  return () => {
    stopping.abort()
    return stop()
  }
}
