import type { Database } from './database.ts'

/** Counts one more invited user. */
export async function noteInvitation(tx: Database, inviterId: number): Promise<void> {
  await tx
    .updateTable('users')
    .set(row => ({ aff_count: row('aff_count', '+', 1) }))
    .where('id', '=', inviterId)
    .execute()
}
