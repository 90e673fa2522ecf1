import { ROLE } from '#contract/enums.ts'
import type { ApiCaller, ApiContext } from '../api/context.ts'
import { findUser } from '../db/accounts/users.ts'
import { userError } from './errors.ts'

/** Throws `user.no_permission` for users of the same or a higher rank. Super administrators may manage everyone. */
export function checkRank(user: { readonly role: number }, caller: ApiCaller): void {
  if (user.role >= caller.role && caller.role < ROLE.root) throw userError('no_permission')
}

/** Throws unless it is the caller, or a user of lower rank. */
export async function requireManaged(
  userId: number,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<void> {
  if (userId === caller.id) return
  const user = await findUser(db, userId)
  // An ordinary user learns of nobody whether they exist.
  checkRank(user ?? { role: caller.role }, caller)
  if (!user) throw userError('unknown')
}
