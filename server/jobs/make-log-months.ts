import { everyMs, nowSeconds } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Database } from '../db/engine/database.ts'
import { createLogMonths } from '../db/logs/log-months.ts'
import type { Engine } from '../db/migrations/migration.ts'

const EVERY_MS = 3_600_000
const AHEAD_SECONDS = 70 * 24 * 3600

interface LogMonths {
  readonly db: Database
  readonly engine: Engine
  readonly log: Logger
}

/**
 * Makes the places of this and the coming months' log rows ahead of time, where rows lie by month. Resolves after the
 * first time; the function it gives stops it.
 */
export async function startLogMonths({ db, engine, log }: LogMonths): Promise<() => Promise<void>> {
  if (engine === 'sqlite') return async () => undefined
  const make = async () => {
    const now = nowSeconds()
    try {
      await createLogMonths(db, { from: now, until: now + AHEAD_SECONDS })
    } catch (error) {
      log.warn('the months of the log could not be made ahead', { reason: errorMessage(error) })
    }
  }
  await make()
  return everyMs(EVERY_MS, make)
}
