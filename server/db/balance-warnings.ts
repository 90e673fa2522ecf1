import type { Database } from './database.ts'
import type { UserRow } from './users.ts'

export interface WarnableRow extends Pick<UserRow, 'id' | 'email' | 'setting' | 'warned_at'> {
  /** What is there and not yet spent, reserved amounts included. */
  readonly balance: number
}

/** Those of the users that may be warned: enabled, and not warned since `cutoff`. */
export function selectUnwarned(
  db: Database,
  userIds: readonly number[],
  cutoff: number,
): Promise<WarnableRow[]> {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'setting', 'warned_at'])
    .select(row => row('quota', '+', row.ref('held_quota')).as('balance'))
    .where('id', 'in', userIds)
    .where('status', '=', 1)
    .where('deleted_at', 'is', null)
    .where('warned_at', '<=', cutoff)
    .execute()
}

/** Moves the time of the last warning on. False when another process was faster. */
export async function moveWarnedAt(
  db: Database,
  userId: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ warned_at: to })
    .where('id', '=', userId)
    .where('warned_at', '=', from)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
