import type { Insertable, Selectable } from 'kysely'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { type ReconciliationTable, withReconciliationTables } from '../tables.ts'

export type ReconciliationRow = Selectable<ReconciliationTable>
type NamedRow<Row> = Row & { readonly username: string | null }

/** Stores a reconciliation and deletes the oldest ones beyond `kept`. Returns its id. */
export const insertReconciliation = (
  db: Database,
  row: Insertable<ReconciliationTable>,
  kept: number,
): Promise<number> =>
  inTransaction(db, async tx => {
    const { id } = await withReconciliationTables(tx)
      .insertInto('reconciliations')
      .values(row)
      .returning('id')
      .executeTakeFirstOrThrow()
    const oldest = await withReconciliationTables(tx)
      .selectFrom('reconciliations')
      .select('id')
      .orderBy('id', 'desc')
      .offset(kept - 1)
      .limit(1)
      .executeTakeFirst()
    if (oldest)
      await withReconciliationTables(tx).deleteFrom('reconciliations').where('id', '<', oldest.id).execute()
    return id
  })

const SUMMARY_COLUMNS = [
  'reconciliations.id',
  'reconciliations.created_at',
  'reconciliations.user_id',
  'files',
  'channels',
  'start_time',
  'end_time',
  'billed_nanos',
  'computed_nanos',
] as const

/** Newest first, without their bodies. */
export const listReconciliationRows = (
  db: Database,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<NamedRow<Omit<ReconciliationRow, 'body'>>[]> =>
  withReconciliationTables(db)
    .selectFrom('reconciliations')
    .leftJoin('users', 'users.id', 'reconciliations.user_id')
    .select(SUMMARY_COLUMNS)
    .select('users.username as username')
    .orderBy('reconciliations.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countReconciliations(db: Database): Promise<number> {
  const { count } = await withReconciliationTables(db)
    .selectFrom('reconciliations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const findReconciliation = (
  db: Database,
  id: number,
): Promise<NamedRow<ReconciliationRow> | undefined> =>
  withReconciliationTables(db)
    .selectFrom('reconciliations')
    .leftJoin('users', 'users.id', 'reconciliations.user_id')
    .select([...SUMMARY_COLUMNS, 'body'])
    .select('users.username as username')
    .where('reconciliations.id', '=', id)
    .executeTakeFirst()

/** False when there is none. */
export async function deleteReconciliationRow(db: Database, id: number): Promise<boolean> {
  const { numDeletedRows } = await withReconciliationTables(db)
    .deleteFrom('reconciliations')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}
