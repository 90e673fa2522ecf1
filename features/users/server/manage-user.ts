import { ROLE, USER_STATUS } from '#contract/enums.ts'
import { userError } from '#server/accounts/errors.ts'
import { checkRank } from '#server/accounts/rank.ts'
import type { ApiCaller, ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { endAccess } from '#server/db/accounts/sessions.ts'
import { lockUser, type UserRow, type UserUpdate, updateUser } from '#server/db/accounts/users.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import type { UserAction } from '../contract.ts'

interface ManagedUser {
  readonly id: number
  readonly action: UserAction
}

const ENDING: ReadonlySet<UserAction> = new Set(['demote', 'disable', 'delete'])

/** Changes role or status of a user of lower rank. Who loses rights with it is signed out at once. */
export function manageUser(
  { id, action }: ManagedUser,
  { db, caller, events }: Pick<ApiContext, 'db' | 'caller' | 'events'>,
): Promise<UserRow> {
  return inTransaction(db, async tx => {
    const user = await lockUser(tx, id)
    if (!user) throw userError('unknown')
    checkRank(user, caller)
    if (user.deleted_at !== null) throw userError('deregistered')
    const change = CHANGE_BY_ACTION[action](user, caller)
    await updateUser(tx, id, change)
    if (ENDING.has(action)) await endAccess(tx, id)
    if (action === 'delete') await events.userDeleted(tx, id)
    return { ...user, ...change }
  })
}

const CHANGE_BY_ACTION: Readonly<Record<UserAction, (user: UserRow, caller: ApiCaller) => UserUpdate>> = {
  promote(user, caller) {
    if (caller.role < ROLE.root) throw userError('only_root_promotes')
    if (user.kind === 'organization') throw userError('is_organization')
    if (user.role >= ROLE.admin) throw userError('already_admin')
    return { role: ROLE.admin }
  },
  demote(user) {
    requireNotRoot(user)
    if (user.role <= ROLE.user) throw userError('already_user')
    return { role: ROLE.user }
  },
  disable(user) {
    requireNotRoot(user)
    return { status: USER_STATUS.banned }
  },
  enable(user) {
    if (user.status !== USER_STATUS.enabled && user.status !== USER_STATUS.banned)
      throw userError('not_to_enable')
    return { status: USER_STATUS.enabled }
  },
  delete(user) {
    requireNotRoot(user)
    return toDeregistered()
  },
}

function requireNotRoot(user: UserRow): void {
  if (user.role >= ROLE.root) throw userError('root_stays')
}

/** A deregistered account keeps its name reserved, but nobody can sign in to it. */
export const toDeregistered = (): UserUpdate => ({ deleted_at: nowSeconds() })
