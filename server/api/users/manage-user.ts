import type { UserAction } from '#contract/accounts/user-management.ts'
import { nowSeconds } from '../../core/clock.ts'
import { inTransaction } from '../../db/database.ts'
import { deleteSessionsOfUser } from '../../db/sessions.ts'
import { lockUser, type UserUpdate, type UserRow, updateUser } from '../../db/users.ts'
import { type Caller, ROLE, USER_STATUS } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { checkRank } from './check-rank.ts'
import { refuse } from './refuse.ts'

interface Managed {
  readonly id: number
  readonly action: UserAction
}

/** Changes the standing of a user of a lower rank. Whoever is banned or deregistered is signed out at once. */
export function manageUser(
  { id, action }: Managed,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<UserRow> {
  return inTransaction(db, async tx => {
    const user = await lockUser(tx, id)
    if (!user) throw refuse('unknown')
    checkRank(user, caller)
    if (user.deleted_at !== null) throw refuse('deregistered')
    const change = changeBy[action](user, caller)
    await updateUser(tx, id, change)
    if (action === 'disable' || action === 'delete') await deleteSessionsOfUser(tx, id)
    return { ...user, ...change }
  })
}

const changeBy: Readonly<Record<UserAction, (user: UserRow, caller: Caller) => UserUpdate>> = {
  promote(user, caller) {
    if (caller.role < ROLE.root) throw refuse('only_root_promotes')
    if (user.role >= ROLE.admin) throw refuse('already_admin')
    return { role: ROLE.admin }
  },
  demote(user) {
    refuseRoot(user)
    if (user.role <= ROLE.user) throw refuse('already_user')
    return { role: ROLE.user }
  },
  disable(user) {
    refuseRoot(user)
    return { status: USER_STATUS.banned }
  },
  enable(user) {
    if (user.status !== USER_STATUS.enabled && user.status !== USER_STATUS.banned)
      throw refuse('not_to_enable')
    return { status: USER_STATUS.enabled }
  },
  delete(user) {
    refuseRoot(user)
    return deregistered()
  },
}

function refuseRoot(user: UserRow): void {
  if (user.role >= ROLE.root) throw refuse('root_stays')
}

/** What deregistering makes of an account: it keeps its name, but no way in. */
export const deregistered = (): UserUpdate => ({ deleted_at: nowSeconds(), access_token_hash: null })
