import type { Database } from './database.ts'
import type { UserRow } from './users.ts'

/** Counts one more invited user. */
export async function noteInvitation(tx: Database, inviterId: number): Promise<void> {
  await tx
    .updateTable('users')
    .set(row => ({ aff_count: row('aff_count', '+', 1) }))
    .where('id', '=', inviterId)
    .execute()
}

/** The user whose invitation code this is. */
export function findInviter(db: Database, code: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('aff_code', '=', code)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}
