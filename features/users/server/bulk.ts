import { ROLE } from '#contract/enums.ts'
import { userError } from '#server/accounts/errors.ts'
import { freeBalance } from '#server/accounts/user-view.ts'
import { changeMatching } from '#server/api/change-matching.ts'
import type { ApiContext } from '#server/api/context.ts'
import { forEachRow, handle, type Route } from '#server/api/handle.ts'
import { lockUser } from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import * as endpoints from '../contract.ts'
import { manageUser } from './manage-user.ts'
import { listMatchingUserIds } from './queries.ts'
import { updateUserFields } from './update-fields.ts'

/** Changes of many users, each by the rules of a change of one. */
export const bulkRoutes: readonly Route[] = [
  handle(endpoints.updateUsersBatch, ({ body: { ids, change }, ...context }) =>
    forEachRow(ids, context, id => inTransaction(context.db, tx => changeUser(tx, { id, change }, context))),
  ),

  handle(endpoints.updateMatchingUsers, ({ body: { filter, count, change }, ...context }) => {
    const { caller } = context
    const belowRole = caller.role >= ROLE.root ? Number.MAX_SAFE_INTEGER : caller.role
    const conditions = { ...filter, status: filter.status || undefined, belowRole, ownId: caller.id }
    return changeMatching(
      {
        count,
        listIds: (db, ids) => listMatchingUserIds(db, conditions, ids),
        async change(tx, ids) {
          const outcomes = await forEachRow(ids, context, id => changeUser(tx, { id, change }, context))
          return outcomes.filter(({ success }) => success).length
        },
      },
      context,
    )
  }),
]

interface ChangedUser {
  readonly id: number
  readonly change: endpoints.UsersChange
}

/** Everything is checked before the first write, so that a rejected user leaves the transaction of the others whole. */
async function changeUser(tx: Database, { id, change }: ChangedUser, context: ApiContext): Promise<void> {
  const deps = { ...context, db: tx }
  if ('group' in change) return void (await updateUserFields({ id, group: change.group }, deps))
  if ('status' in change)
    return void (await manageUser({ id, action: change.status === 1 ? 'enable' : 'disable' }, deps))
  const user = await lockUser(tx, id)
  if (!user) throw userError('unknown')
  const balance = freeBalance(user)
  const quota = balance + change.add_quota
  await updateUserFields({ id, quota, quota_seen: balance, reason: change.reason }, deps)
}
