import type { Binding } from '#contract/accounts/oauth.ts'
import { tellFormerAddress } from '#server/accounts/former-address.ts'
import type { ApiContext } from '#server/api/context.ts'
import { requireRecentSignIn } from '#server/api/recent-sign-in.ts'
import { lockUser, type UniqueColumn, type UserRow } from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { oauthError } from './errors.ts'
import type { ProviderIdentity } from './identity-providers.ts'
import { deleteIdentity, listIdentities } from './openid/queries.ts'
import type { OauthProvider } from './providers.ts'
import { clearUniqueColumn } from './queries.ts'

/** The message that tells clients that an identity was bound instead of signed in. */
export const BOUND = { message: 'bind' } as const

/**
 * Binds an identity to the caller, who must have signed in recently. An identity that is bound to the caller already proves
 * that the owner is present, so it counts as a recent sign-in. Throws `oauth.taken` when another account owns it.
 */
export async function bindToCaller(
  identity: ProviderIdentity,
  provider: OauthProvider,
  { db, caller, session }: Pick<ApiContext, 'db' | 'caller' | 'session'>,
): Promise<typeof BOUND> {
  const owner = await provider.identities.findOwner(db, identity)
  if (owner?.id === caller.id) {
    await session.confirm()
    return BOUND
  }
  requireRecentSignIn(session)
  if (!(await provider.identities.claim(db, caller.id, identity)))
    throw oauthError('taken', { provider: provider.displayName })
  return BOUND
}

const COLUMN: Readonly<Record<Binding, UniqueColumn>> = {
  email: 'email',
  github: 'github_id',
  linuxdo: 'linux_do_id',
  wechat: 'wechat_id',
  telegram: 'telegram_id',
}

/** Removes a binding from the caller's account, as long as a password or another identity remains to sign in with. */
export async function unbindFromCaller(
  binding: Binding,
  context: Pick<ApiContext, 'db' | 'caller' | 'mailer' | 'settings' | 'language'>,
): Promise<void> {
  const { db, caller } = context
  const former = await inTransaction(db, async tx => {
    const user = await lockUser(tx, caller.id)
    const column = COLUMN[binding]
    if (!user || user[column] === '') throw oauthError('not_bound')
    if (!(await hasOtherSignIn(tx, user, { column }))) throw oauthError('last_way')
    await clearUniqueColumn(tx, caller.id, column)
    return user
  })
  if (binding === 'email') tellFormerAddress(former, 'removed', context)
}

/** Removes an OpenID provider from the caller's account, under the same condition. */
export async function unlinkFromCaller(
  slug: string,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<void> {
  await inTransaction(db, async tx => {
    const user = await lockUser(tx, caller.id)
    if (!user || !(await deleteIdentity(tx, caller.id, slug))) throw oauthError('not_bound')
    if (!(await hasOtherSignIn(tx, user, {}))) throw oauthError('last_way')
  })
}

interface RemovedBinding {
  /** Absent: the identity is deleted already. */
  readonly column?: UniqueColumn
}

const hasOtherSignIn = async (tx: Database, user: UserRow, { column }: RemovedBinding): Promise<boolean> =>
  user.password_hash !== '' ||
  (['github_id', 'linux_do_id', 'wechat_id', 'telegram_id'] as const).some(
    other => other !== column && user[other] !== '',
  ) ||
  (await listIdentities(tx, user.id)).length > 0
