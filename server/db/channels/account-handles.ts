import type { Selectable } from 'kysely'
import type { Database } from '../engine/database.ts'
import type { AccountHandleTable } from '../engine/tables.ts'

export type AccountHandleRow = Readonly<Selectable<AccountHandleTable>>

/** Stores handles; one that exists is kept for the longer of the two times. */
export async function insertAccountHandles(db: Database, rows: readonly AccountHandleRow[]): Promise<void> {
  await db
    .insertInto('account_handles')
    .values(rows)
    .onConflict(conflict =>
      conflict.column('handle').doUpdateSet({ expires_at: ({ ref }) => ref('excluded.expires_at') }),
    )
    .execute()
}

export async function selectAccountHandles(
  db: Database,
  handles: readonly string[],
  nowSeconds: number,
): Promise<readonly AccountHandleRow[]> {
  return await db
    .selectFrom('account_handles')
    .selectAll()
    .where('handle', 'in', handles)
    .where('expires_at', '>', nowSeconds)
    .execute()
}
