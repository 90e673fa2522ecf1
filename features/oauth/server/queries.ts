import type { UniqueColumn } from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'

export async function clearUniqueColumn(db: Database, userId: number, column: UniqueColumn): Promise<void> {
  await db
    .updateTable('users')
    .set({ [column]: '' })
    .where('id', '=', userId)
    .execute()
}
