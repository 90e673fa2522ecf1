import { everyMs, nowSeconds } from '#server/core/clock.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import type { Job, Services } from '#server/feature.ts'
import { deleteBudgets } from './queries/budgets.ts'
import {
  deleteSomeCounts,
  findDeletedBudget,
  listBudgetsOfDeletedTokens,
  listBudgetsWithOldWindows,
  lockBudget,
  mergeOldUses,
} from './queries/old-windows.ts'

const INTERVAL_MS = 3_600_000
const DAY_SECONDS = 86_400
/** Twice the longest window that ends. */
const KEPT_DAYS = 62

/**
 * Merges the use of windows that ended long ago, and deletes budgets of deleted tokens and what deleted budgets have counted.
 * Safe on several processes at once.
 */
export async function maintainBudgets(db: Database): Promise<void> {
  await deleteBudgetsOf(db, await listBudgetsOfDeletedTokens(db))
  await deleteCounts(db)
  const before = nowSeconds() - KEPT_DAYS * DAY_SECONDS
  for (const id of await listBudgetsWithOldWindows(db, before)) {
    const mergeSome = () =>
      inTransaction(db, async tx => {
        return (await lockBudget(tx, id)) ? mergeOldUses(tx, id, before) : 0
      })
    while ((await mergeSome()) > 0);
  }
}

const deleteBudgetsOf = (db: Database, ids: readonly number[]): Promise<void> =>
  inTransaction(db, tx => deleteBudgets(tx, ids))

/** In short statements, so that requests wait for none of them. */
async function deleteCounts(db: Database): Promise<void> {
  let id = await findDeletedBudget(db)
  while (id !== undefined) if (!(await deleteSomeCounts(db, id))) id = await findDeletedBudget(db)
}

export const maintenanceJob =
  ({ db, log }: Pick<Services, 'db' | 'log'>): Job =>
  () =>
    everyMs(INTERVAL_MS, () =>
      maintainBudgets(db).catch(error => log.error('old use of budgets was not merged', { error })),
    )
