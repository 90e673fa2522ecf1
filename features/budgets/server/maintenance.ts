import { everyMs, nowSeconds } from '#server/core/clock.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import type { Job, Services } from '#server/feature.ts'
import { deleteBudgets } from './queries/budgets.ts'
import {
  listBudgetsOfDeletedTokens,
  listBudgetsWithOldWindows,
  lockBudget,
  mergeOldUses,
} from './queries/old-windows.ts'

const INTERVAL_MS = 3_600_000
const DAY_SECONDS = 86_400
/** Twice the longest window that ends. */
const KEPT_DAYS = 62

/** Merges the use of windows that ended long ago, and deletes budgets of deleted tokens. Safe on several processes at once. */
export async function maintainBudgets(db: Database): Promise<void> {
  await deleteBudgetsOf(db, await listBudgetsOfDeletedTokens(db))
  const before = nowSeconds() - KEPT_DAYS * DAY_SECONDS
  for (const id of await listBudgetsWithOldWindows(db, before)) {
    const mergeSome = () =>
      inTransaction(db, async tx => {
        await lockBudget(tx, id)
        return mergeOldUses(tx, id, before)
      })
    while ((await mergeSome()) > 0);
  }
}

const deleteBudgetsOf = (db: Database, ids: readonly number[]): Promise<void> =>
  inTransaction(db, tx => deleteBudgets(tx, ids))

export const maintenanceJob =
  ({ db, log }: Pick<Services, 'db' | 'log'>): Job =>
  () =>
    everyMs(INTERVAL_MS, () =>
      maintainBudgets(db).catch(error => log.error('old use of budgets was not merged', { error })),
    )
