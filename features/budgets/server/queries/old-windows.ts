import { sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import { withBudgetTables } from '../tables.ts'
import { addToBudgetWindows } from './counts.ts'

/** Locks a budget until the transaction ends, as the ledger does. False when it was deleted. */
export async function lockBudget(tx: Database, id: number): Promise<boolean> {
  const { numUpdatedRows } = await withBudgetTables(tx)
    .updateTable('budgets')
    .set(row => ({ warned_at: row.ref('warned_at') }))
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

const ROWS_AT_ONCE = 500

/** Some budgets of deleted tokens. */
export async function listBudgetsOfDeletedTokens(db: Database): Promise<number[]> {
  const rows = await withBudgetTables(db)
    .selectFrom('budgets')
    .innerJoin('tokens', 'tokens.id', 'budgets.subject_id')
    .select('budgets.id')
    .where('budgets.subject', '=', 'token')
    .where('tokens.deleted_at', 'is not', null)
    .limit(ROWS_AT_ONCE)
    .execute()
  return rows.map(({ id }) => id)
}

/** A deleted budget whose windows and uses were not deleted. */
export async function findDeletedBudget(db: Database): Promise<number | undefined> {
  const rows = withBudgetTables(db).selectFrom('deleted_budgets').select('budget_id').limit(1)
  return (await rows.executeTakeFirst())?.budget_id
}

/** Deletes some of what a deleted budget has counted. Returns false when nothing was left, and the budget is forgotten. */
export async function deleteSomeCounts(db: Database, id: number): Promise<boolean> {
  const { numAffectedRows: uses } = await sql`delete from budget_uses where budget_id = ${id}
    and (starts_at, request_id) in (select starts_at, request_id from budget_uses where budget_id = ${id}
      limit ${ROWS_AT_ONCE})`.execute(db)
  if (uses) return true
  const { numAffectedRows: windows } = await sql`delete from budget_windows where budget_id = ${id}
    and starts_at in (select starts_at from budget_windows where budget_id = ${id}
      limit ${ROWS_AT_ONCE})`.execute(db)
  if (windows) return true
  await withBudgetTables(db).deleteFrom('deleted_budgets').where('budget_id', '=', id).execute()
  return false
}

/** Some budgets with windows that began after time 0 and before another one, and that nothing holds. */
export async function listBudgetsWithOldWindows(db: Database, before: number): Promise<number[]> {
  const rows = await withBudgetTables(db)
    .selectFrom('budget_windows')
    .select('budget_id')
    .distinct()
    .where('starts_at', '>', 0)
    .where('starts_at', '<', before)
    .where('held', '=', 0)
    .limit(ROWS_AT_ONCE)
    .execute()
  return rows.map(({ budget_id }) => budget_id)
}

/**
 * Adds some uses of old windows to the use of time 0, which only counts where windows never end. Returns how many. Call it in
 * a transaction that has locked the budget.
 */
export async function mergeOldUses(tx: Database, id: number, before: number): Promise<number> {
  const db = withBudgetTables(tx)
  const uses = await db
    .selectFrom('budget_uses')
    .innerJoin('budget_windows', row =>
      row
        .onRef('budget_windows.budget_id', '=', 'budget_uses.budget_id')
        .onRef('budget_windows.starts_at', '=', 'budget_uses.starts_at'),
    )
    .select(['budget_uses.starts_at', 'budget_uses.request_id', 'budget_uses.amount', 'budget_uses.saved'])
    .where('budget_uses.budget_id', '=', id)
    .where('budget_uses.starts_at', '>', 0)
    .where('budget_uses.starts_at', '<', before)
    .where('budget_windows.held', '=', 0)
    .limit(ROWS_AT_ONCE)
    .execute()
  const amounts = Map.groupBy(uses, ({ starts_at }) => starts_at)
  for (const [window, rows] of amounts) {
    const used = rows.reduce((sum, { amount }) => sum + amount, 0)
    const saved = rows.reduce((sum, row) => sum + (row.saved ?? 0), 0)
    const requestIds = rows.map(({ request_id }) => request_id)
    await db
      .deleteFrom('budget_uses')
      .where('budget_id', '=', id)
      .where('starts_at', '=', window)
      .where('request_id', 'in', requestIds)
      .execute()
    await addToBudgetWindows(tx, [{ budgetId: id, window, used: -used, held: 0, saved: -saved }])
    await addToMergedUse(tx, id, { used, saved })
  }
  await db
    .deleteFrom('budget_windows')
    .where('budget_id', '=', id)
    .where('starts_at', '>', 0)
    .where('starts_at', '<', before)
    .where('used', '=', 0)
    .where('held', '=', 0)
    .execute()
  return uses.length
}

async function addToMergedUse(
  tx: Database,
  id: number,
  { used, saved }: Readonly<Record<'used' | 'saved', number>>,
): Promise<void> {
  await addToBudgetWindows(tx, [{ budgetId: id, window: 0, used, held: 0, saved }])
  await withBudgetTables(tx)
    .insertInto('budget_uses')
    .values({ budget_id: id, starts_at: 0, request_id: '', amount: used, saved })
    .onConflict(conflict =>
      conflict.columns(['budget_id', 'starts_at', 'request_id']).doUpdateSet(row => ({
        amount: row('budget_uses.amount', '+', used),
        saved: row(row.fn.coalesce('budget_uses.saved', row.val(0)), '+', saved),
      })),
    )
    .execute()
}
