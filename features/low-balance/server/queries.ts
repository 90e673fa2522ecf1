import type { Selectable } from 'kysely'
import { USER_STATUS } from '#contract/enums.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { UserTable } from '#server/db/engine/tables.ts'
import type { NotifiedAccount } from '#server/notifications/send-notification.ts'

export interface BalanceWarningRow extends NotifiedAccount, Pick<Selectable<UserTable>, 'warned_at'> {
  /** The unspent balance, reserved amounts included. */
  readonly balance: number
}

/** Users due for a balance warning: enabled, and not warned since `cutoff` (Unix seconds). */
export function listUsersToWarn(
  db: Database,
  userIds: readonly number[],
  cutoff: number,
): Promise<BalanceWarningRow[]> {
  return db
    .selectFrom('users')
    .select(['id', 'kind', 'display_name', 'email', 'setting', 'warned_at'])
    .select(row => row('quota', '+', row.ref('held_quota')).as('balance'))
    .where('id', 'in', userIds)
    .where('status', '=', USER_STATUS.enabled)
    .where('deleted_at', 'is', null)
    .where('warned_at', '<=', cutoff)
    .execute()
}

/** Sets the time of the last warning from one value to the next. Returns false when another process was faster. */
export async function updateWarnedAt(
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
