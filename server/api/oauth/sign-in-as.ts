import type { User } from '#contract/accounts/users.ts'
import { nowSeconds } from '../../core/clock.ts'
import { bindIdentity, findUserByUniqueColumn } from '../../db/identities.ts'
import { updateLastLogin, type UserRow } from '../../db/users.ts'
import type { Identity } from '../../integrations/identity.ts'
import { USER_STATUS } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { toUser } from '../user-view.ts'
import { refuse } from './refuse.ts'
import type { Way } from './ways.ts'

/** Signs in whoever has this identity. `makeAccount` says what becomes of somebody new; undefined refuses them. */
export async function signInAs(
  identity: Identity,
  way: Way,
  context: Pick<ApiContext, 'db' | 'session'>,
  makeAccount: () => Promise<UserRow>,
): Promise<User> {
  const { db, session } = context
  const user = (await findOwner(identity, way, db)) ?? (await makeAccount())
  if (user.deleted_at !== null) throw refuse('deregistered')
  if (user.status !== USER_STATUS.enabled) throw refuse('banned')
  await updateLastLogin(db, user.id, nowSeconds())
  await session.open(user.id)
  return toUser(user)
}

/** Accounts that came from elsewhere keep a name instead of the number: their next sign-in replaces it. */
async function findOwner(
  { id, formerId }: Identity,
  { column }: Way,
  db: ApiContext['db'],
): Promise<UserRow | undefined> {
  const owner = await findUserByUniqueColumn(db, column, id)
  if (owner || formerId === undefined || /^\d+$/.test(formerId)) return owner
  const former = await findUserByUniqueColumn(db, column, formerId)
  if (former) await bindIdentity(db, former.id, column, id)
  return former && { ...former, [column]: id }
}
