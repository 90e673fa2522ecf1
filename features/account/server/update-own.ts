import type { SelfChange } from '#contract/entities/user.ts'
import { userError } from '#server/accounts/errors.ts'
import { storePassword } from '#server/accounts/passwords.ts'
import { ownAttempt, throttleAttempts } from '#server/accounts/sign-in-throttle.ts'
import type { ApiContext } from '#server/api/context.ts'
import { isSignInRecent, requireRecentSignIn } from '#server/api/recent-sign-in.ts'
import { hashPassword, verifyPassword } from '#server/core/crypto.ts'
import { findUser, isUsernameTaken, type UserRow, updateUser } from '#server/db/accounts/users.ts'
import { inTransaction } from '#server/db/engine/database.ts'

type OwnAccountContext = Pick<ApiContext, 'caller' | 'session' | 'rateLimiter' | 'network'>

/**
 * Updates the caller's names or password. A new password ends every session, this one included, because its cookie may
 * have been copied: the caller goes on with a fresh session.
 */
export async function updateOwnAccount(
  { username, display_name, password, original_password }: SelfChange,
  context: OwnAccountContext & Pick<ApiContext, 'db' | 'secrets' | 'events'>,
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
