import type { Binding } from '#contract/accounts/oauth.ts'
import {
  claimUniqueColumn,
  clearUniqueColumn,
  lockUser,
  type UniqueColumn,
  type UserRow,
} from '../../db/accounts/users.ts'
import { inTransaction } from '../../db/engine/database.ts'
import type { ProviderIdentity } from '../../integrations/identity-providers.ts'
import type { ApiContext } from '../context.ts'
import { oauthError } from './errors.ts'
import type { OauthProvider } from './providers.ts'

/** The message that tells clients that an identity was bound instead of signed in. */
export const BOUND = { message: 'bind' } as const

/** Binds an identity to the caller. Throws `oauth.taken` when another account owns it. */
export async function bindToCaller(
  { id }: ProviderIdentity,
  { column, displayName }: OauthProvider,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<typeof BOUND> {
  if (!(await claimUniqueColumn(db, caller.id, column, id)))
    throw oauthError('taken', { provider: displayName })
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
export function unbindFromCaller(
  binding: Binding,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<void> {
  return inTransaction(db, async tx => {
    const user = await lockUser(tx, caller.id)
    const column = COLUMN[binding]
    if (!user || user[column] === '') throw oauthError('not_bound')
    if (!hasOtherSignIn(user, column)) throw oauthError('last_way')
    await clearUniqueColumn(tx, caller.id, column)
  })
}

const hasOtherSignIn = (user: UserRow, column: UniqueColumn): boolean =>
  user.password_hash !== '' ||
  (['github_id', 'linux_do_id', 'wechat_id', 'telegram_id'] as const).some(
    other => other !== column && user[other] !== '',
  )
