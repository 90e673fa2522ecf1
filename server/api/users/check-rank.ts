import { type Caller, ROLE } from '../caller.ts'
import { refuse } from './refuse.ts'

/** Refuses whoever would manage an equal or a better. The super administrator may manage everybody. */
export function checkRank(user: { readonly role: number }, caller: Caller): void {
  if (user.role >= caller.role && caller.role < ROLE.root) throw refuse('no_permission')
}
