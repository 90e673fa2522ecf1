import type { SelfChange } from '#contract/accounts/users.ts'
import { hashPassword, verifyPassword } from '../../core/crypto.ts'
import { findUser, isUsernameTaken, type UserRow, updateUser } from '../../db/accounts/users.ts'
import { inTransaction } from '../../db/engine/database.ts'
import type { ApiContext } from '../context.ts'
import { isSignInRecent, requireRecentSignIn } from '../recent-sign-in.ts'
import { ownAttempt, throttleAttempts } from '../sign-in-throttle.ts'
import { userError } from './errors.ts'
import { storePassword } from './update.ts'

type OwnAccountContext = Pick<ApiContext, 'caller' | 'session' | 'rateLimiter' | 'network'>

/**
 * Updates the caller's names or password. A new password ends every session, this one included, because its cookie may
 * have been copied: the caller goes on with a fresh session.
 */
export async function updateOwnAccount(
  { username, display_name, password, original_password }: SelfChange,
  context: OwnAccountContext & Pick<ApiContext, 'db' | 'secrets'>,
): Promise<void> {
  const { db, caller, session } = context
  const user = await findUser(db, caller.id)
  if (!user) throw userError('unknown')
  const isRenamed = Boolean(username) && username !== user.username
  if (isRenamed || password) await requireOwner(user, original_password, context)
  const password_hash = password && (await hashPassword(password))
  await inTransaction(db, async tx => {
    if (isRenamed && username && (await isUsernameTaken(tx, username))) throw userError('name_taken')
    await updateUser(tx, user.id, { ...(username && { username }), ...(display_name && { display_name }) })
    if (password_hash) await storePassword(tx, user, password_hash, context)
  })
  if (password_hash && session.exists) await session.open(user.id)
}

/** Requires the current password, throttled like a sign-in, or else a recent sign-in. */
async function requireOwner(
  user: UserRow,
  password: string | undefined,
  context: OwnAccountContext,
): Promise<void> {
  if (password) {
    await throttleAttempts(ownAttempt(context), context.rateLimiter, async () => {
      if (!(await verifyPassword(password, user.password_hash))) throw userError('wrong_password')
    })
    return
  }
  if (user.password_hash === '') requireRecentSignIn(context.session)
  if (!isSignInRecent(context.session)) throw userError('confirm_password')
}
