import { everyMs, nowSeconds } from '../core/clock.ts'
import { messageOf } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { Database } from '../db/database.ts'
import { rollUpGatewayDays } from '../db/gateway-days.ts'
import { rollUpHours } from '../db/gateway-hours.ts'
import { rollUpDays } from '../db/usage-days.ts'

const EVERY_MS = 10 * 60_000

/** Sums up the hours and days that are over, so that the log's figures of months come quickly. The function it gives stops it. */
export const startRollUps = ({ db, log }: { readonly db: Database; readonly log: Log }) =>
  everyMs(EVERY_MS, async () => {
    try {
      const now = nowSeconds()
      await rollUpHours(db, now)
      await rollUpDays(db, now)
      await rollUpGatewayDays(db)
    } catch (error) {
      log.error('hours and days could not be summed up', { reason: messageOf(error) })
    }
  })
