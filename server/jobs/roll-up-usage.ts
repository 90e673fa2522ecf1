import { everyMs, nowSeconds } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Database } from '../db/engine/database.ts'
import { rollUpGatewayDays } from '../db/usage/gateway-days.ts'
import { rollUpHours } from '../db/usage/usage-hours.ts'
import { rollUpDays } from '../db/usage/usage-days.ts'

const EVERY_MS = 10 * 60_000

/** Sums up the hours and days that are over, so that the log's figures of months come quickly. The function it gives stops it. */
export const startRollUps = ({ db, log }: { readonly db: Database; readonly log: Logger }) =>
  everyMs(EVERY_MS, async () => {
    try {
      const now = nowSeconds()
      await rollUpHours(db, now)
      await rollUpDays(db, now)
      await rollUpGatewayDays(db)
    } catch (error) {
      log.error('hours and days could not be summed up', { reason: errorMessage(error) })
    }
  })
