import { sql } from 'kysely'
import type { AnalyticsCursorTable } from '../engine/analytics-tables.ts'
import type { Database } from '../engine/database.ts'

export type CursorName = AnalyticsCursorTable['name']

export async function getCursor(db: Database, name: CursorName): Promise<AnalyticsCursorTable> {
  return db.selectFrom('analytics_cursors').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
}

/**
 * Moves a cursor from one position to another. False when it is elsewhere: another process was faster, and the caller must
 * write nothing. Other transactions wait at this row, so rows that follow are committed in the order of their ids.
 */
export async function moveCursor(tx: Database, name: CursorName, from: number, to: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('analytics_cursors')
    .set({ done: to })
    .where('name', '=', name)
    .where('done', '=', from)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Begins a part that ends with the given id of the source. False when another process began or finished one. */
export async function beginPart(
  db: Database,
  { name, done, next }: AnalyticsCursorTable,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('analytics_cursors')
    .set({ next: until })
    .where('name', '=', name)
    .where('done', '=', done)
    .where('next', '=', next)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Lets the rows of the part count, unless another process did so. */
export async function finishPart(db: Database, { name, done, next }: AnalyticsCursorTable): Promise<void> {
  await db
    .updateTable('analytics_cursors')
    .set({ done: next, part: sql`part + 1` })
    .where('name', '=', name)
    .where('done', '=', done)
    .where('next', '=', next)
    .execute()
}
