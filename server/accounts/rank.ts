import { ROLE } from '#contract/enums.ts'
import type { ApiCaller } from '../api/context.ts'
import { userError } from './errors.ts'

/** Throws `user.no_permission` for users of the same or a higher rank. Super administrators may manage everyone. */
export function checkRank(user: { readonly role: number }, caller: ApiCaller): void {
  if (user.role >= caller.role && caller.role < ROLE.root) throw userError('no_permission')
}
