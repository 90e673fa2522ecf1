import type { Selectable } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import type { Tables } from '#server/db/engine/tables.ts'

type ExportedTable = 'users' | 'tokens' | 'channels'

/** Rows after an id, in the order of their ids: memory stays constant whatever the size of the table. */
export function listRowsAfter(
  db: Database,
  table: 'users',
  after: number,
  limit: number,
): Promise<Selectable<Tables['users']>[]>
export function listRowsAfter(
  db: Database,
  table: 'tokens',
  after: number,
  limit: number,
): Promise<Selectable<Tables['tokens']>[]>
export function listRowsAfter(
  db: Database,
  table: 'channels',
  after: number,
  limit: number,
): Promise<Selectable<Tables['channels']>[]>
export function listRowsAfter(db: Database, table: ExportedTable, after: number, limit: number) {
  return db.selectFrom(table).selectAll().where('id', '>', after).orderBy('id').limit(limit).execute()
}
