import type { Insertable, Selectable, Updateable } from 'kysely'
import { batchLookups, withStorageTimeout } from '#server/core/async.ts'
import type { UserRow } from '#server/db/accounts/users.ts'
import { bulkStatement } from '#server/db/engine/bulk.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { BudgetSubject } from '#server/ledger/ledger-command.ts'
import { BUDGETS_MAX, LISTED_MAX } from '../../contract.ts'
import { type BudgetTable, withBudgetTables } from '../tables.ts'

export type BudgetRow = Selectable<BudgetTable>

/** A budget, with whether a person or an organisation pays for what it bounds. */
export type PaidBudgetRow = BudgetRow & Pick<UserRow, 'kind'>

const toKey = ({ kind, id }: BudgetSubject): string => `${kind} ${id}`

/** Enabled budgets of subjects, by the keys that `toKey` makes. Each has a few at most. */
async function findBudgetsOf(db: Database, keys: readonly string[]) {
  const rows = await selectBudgetsOf(db, keys)
  return Map.groupBy(rows, row => toKey({ kind: row.subject, id: row.subject_id }))
}

const selectBudgetsOf = bulkStatement<string, PaidBudgetRow>({
  text: keys => `select budgets.*, users.kind from (values ${keys}) as asked join budgets
    on budgets.subject = asked.column1 and budgets.subject_id = cast(asked.column2 as bigint)
    join users on users.id = budgets.user_id
    where budgets.is_enabled = 1`,
  addCells: (key, cells) => cells.push(...key.split(' ')),
  cellType: 'text',
})

/** Finds the enabled budgets that may bound a request of a user, read as they are now. Requests that come together share a query. */
export function createBudgetReader(db: Database) {
  const look = batchLookups<string, PaidBudgetRow[]>(keys => withStorageTimeout(findBudgetsOf(db, keys)))
  return async (userId: number, subjects: readonly BudgetSubject[]): Promise<readonly PaidBudgetRow[]> => {
    const found = await Promise.all(subjects.map(subject => look(toKey(subject))))
    const budgets = found.flatMap(rows => rows?.filter(({ user_id }) => user_id === userId) ?? [])
    return budgets.sort((a, b) => a.id - b.id)
  }
}

/** The oldest first. */
export const listBudgetsOf = (db: Database, { kind, id }: BudgetSubject): Promise<BudgetRow[]> =>
  withBudgetTables(db)
    .selectFrom('budgets')
    .selectAll()
    .where('subject', '=', kind)
    .where('subject_id', '=', id)
    .orderBy('id')
    .limit(BUDGETS_MAX)
    .execute()

/** Budgets of subjects of one kind that a user pays for, the oldest first. */
export const listBudgetsOfMany = (
  db: Database,
  userId: number,
  { kind, ids }: { readonly kind: string; readonly ids: readonly number[] },
): Promise<BudgetRow[]> =>
  withBudgetTables(db)
    .selectFrom('budgets')
    .selectAll()
    .where('subject', '=', kind)
    .where('subject_id', 'in', ids)
    .where('user_id', '=', userId)
    .orderBy('id')
    .limit(ids.length * BUDGETS_MAX)
    .execute()

/** Budgets of what a user pays for, with ids beyond one. */
export const listBudgetsOfOwner = (db: Database, userId: number, afterId = 0): Promise<BudgetRow[]> =>
  withBudgetTables(db)
    .selectFrom('budgets')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(LISTED_MAX)
    .execute()

export const findBudget = (db: Database, id: number): Promise<BudgetRow | undefined> =>
  withBudgetTables(db).selectFrom('budgets').selectAll().where('id', '=', id).executeTakeFirst()

export const listBudgetsById = (db: Database, ids: readonly number[]): Promise<BudgetRow[]> =>
  withBudgetTables(db).selectFrom('budgets').selectAll().where('id', 'in', ids).execute()

export const insertBudget = (db: Database, row: Insertable<BudgetTable>): Promise<BudgetRow> =>
  withBudgetTables(db).insertInto('budgets').values(row).returningAll().executeTakeFirstOrThrow()

export const updateBudgetRow = (
  db: Database,
  id: number,
  row: Updateable<BudgetTable>,
): Promise<BudgetRow | undefined> =>
  withBudgetTables(db).updateTable('budgets').set(row).where('id', '=', id).returningAll().executeTakeFirst()

export interface WindowRow {
  readonly budget_id: number
  readonly starts_at: number
  readonly used: number
  readonly held: number
  /** Quota units. */
  readonly saved: number
}

/** Windows of budgets that begin at a time or later, the oldest first. */
export const listWindows = (db: Database, ids: readonly number[], since: number): Promise<WindowRow[]> =>
  withBudgetTables(db)
    .selectFrom('budget_windows')
    .selectAll()
    .where('budget_id', 'in', ids)
    .where('starts_at', '>=', since)
    .orderBy('starts_at')
    .execute()

/** Claims the warning of a window. False when it was sent already, or another process was faster. */
export async function claimWarning(
  db: Database,
  id: number,
  { since, now }: { readonly since: number; readonly now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await withBudgetTables(db)
    .updateTable('budgets')
    .set({ warned_at: now })
    .where('id', '=', id)
    .where('warned_at', '<', Math.max(since, 1))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/**
 * Deletes budgets: from now on they bound, count and show nothing, and shares that open holds have of them go nowhere. What they
 * have counted goes later, since a budget may have a use for each of millions of requests.
 */
export async function deleteBudgets(tx: Database, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const db = withBudgetTables(tx)
  const deleted = await db.deleteFrom('budgets').where('id', 'in', ids).returning('id as budget_id').execute()
  if (deleted.length > 0) await db.insertInto('deleted_budgets').values(deleted).execute()
}

export async function deleteBudgetsOfOwner(tx: Database, userId: number): Promise<void> {
  const listed = (await listBudgetsOfOwner(tx, userId)).map(({ id }) => id)
  if (listed.length === 0) return
  await deleteBudgets(tx, listed)
  await deleteBudgetsOfOwner(tx, userId)
}
