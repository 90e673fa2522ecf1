import { bindIdentity } from '../../db/identities.ts'
import type { Identity } from '../../integrations/identity.ts'
import type { ApiContext } from '../context.ts'
import { refuse } from './refuse.ts'
import type { Way } from './ways.ts'

/** The literal by which the console knows that it bound, and did not sign in. */
export const BOUND = { message: 'bind' } as const

/** Binds an identity to whoever is signed in. */
export async function bind(
  { id }: Identity,
  { column, party }: Way,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<typeof BOUND> {
  if (!(await bindIdentity(db, caller.id, column, id))) throw refuse('taken', { party })
  return BOUND
}
