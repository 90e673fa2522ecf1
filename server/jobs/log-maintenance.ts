import { everyMs, nowSeconds } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Database } from '../db/engine/database.ts'
import { createLogMonths } from '../db/logs/log-months.ts'
import type { Engine } from '../db/migrations/migration.ts'
import { rollUpDays, rollUpGatewayDays } from '../db/usage/usage-days.ts'
import { rollUpHours } from '../db/usage/usage-hours.ts'

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

/** Aggregates completed hours and days, so that statistics over months are fast. The returned function stops the job. */
export const startRollUps = ({ db, log }: { readonly db: Database; readonly log: Logger }) =>
  everyMs(ROLL_UP_INTERVAL_MS, async () => {
    try {
      const now = nowSeconds()
      await rollUpHours(db, now)
      await rollUpDays(db, now)
      await rollUpGatewayDays(db)
    } catch (error) {
      log.error('usage could not be rolled up', { reason: errorMessage(error) })
    }
  })
