import { everyMs, nowSeconds } from '../core/clock.ts'
import { messageOf } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { Database } from '../db/database.ts'
import { makeLogMonths } from '../db/log-months.ts'
import type { Engine } from '../db/migrations/migration.ts'

const EVERY_MS = 3_600_000
const AHEAD_SECONDS = 70 * 24 * 3600

interface LogMonths {
  readonly db: Database
  readonly engine: Engine
  readonly log: Log
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
      await makeLogMonths(db, { from: now, until: now + AHEAD_SECONDS })
    } catch (error) {
      log.warn('the months of the log could not be made ahead', { reason: messageOf(error) })
    }
  }
  await make()
  return everyMs(EVERY_MS, make)
}
