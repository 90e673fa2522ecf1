import { nowSeconds } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import { rollUpDays, rollUpGatewayDays, rollUpHours } from '#server/db/usage/roll-ups.ts'

/** Rolls the log up by hour and day, as a serving gateway does every ten minutes. */
export async function rollUpLog(db: Database): Promise<void> {
  const deps = { db, reader: db }
  const now = nowSeconds()
  await rollUpHours(deps, now)
  await rollUpDays(deps, now)
  await rollUpGatewayDays(deps)
}
