import type { SelfChange } from '#contract/accounts/users.ts'
import { nowSeconds } from '../../core/clock.ts'
import { inTransaction } from '../../db/database.ts'
import { findUser, isUsernameTaken, type UserUpdate, type UserRow, updateUser } from '../../db/users.ts'
import type { ApiContext } from '../context.ts'
import { hashPassword, isPasswordRight } from '../passwords.ts'
import { throttled } from '../sign-in-throttle.ts'
import { refuse } from './refuse.ts'

/** A sign-in this old no longer proves that the person at the screen is the owner of the account. */
const RECENT_SIGN_IN_SECONDS = 15 * 60

/** Changes the own names or password. A new password ends all other sessions. */
export async function changeSelf(
  wanted: SelfChange,
  context: Pick<ApiContext, 'db' | 'caller' | 'session' | 'rateLimiter' | 'clientIp'>,
): Promise<void> {
  const { db, caller, session } = context
  const user = await findUser(db, caller.id)
  if (!user) throw refuse('unknown')
  const change = await changeOf(wanted)
  const isSensitive = change.password_hash !== undefined || change.username !== undefined
  if (isSensitive) await provePresence(user, wanted.original_password, context)
  await inTransaction(db, async tx => {
    if (change.username && change.username !== user.username && (await isUsernameTaken(tx, change.username)))
      throw refuse('name_taken')
    await updateUser(tx, user.id, change)
  })
  if (change.password_hash !== undefined) await session.closeOthers()
}

const changeOf = async ({ username, display_name, password }: SelfChange): Promise<UserUpdate> => ({
  ...(username && { username }),
  ...(display_name && { display_name }),
  ...(password && { password_hash: await hashPassword(password), must_change_password: 0 as const }),
})

/** By the password that was sent, which is guessed no more often than at the door, else by a recent sign-in. */
async function provePresence(
  user: UserRow,
  password: string | undefined,
  { session, rateLimiter, clientIp }: Pick<ApiContext, 'session' | 'rateLimiter' | 'clientIp'>,
): Promise<void> {
  if (!password) {
    if (session.authenticatedAt < nowSeconds() - RECENT_SIGN_IN_SECONDS) throw refuse('confirm_password')
    return
  }
  await throttled(`user ${user.id}`, clientIp, rateLimiter, async () => {
    if (!(await isPasswordRight(password, user.password_hash))) throw refuse('wrong_password')
  })
}
