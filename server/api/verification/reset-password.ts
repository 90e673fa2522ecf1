import { USER_STATUS } from '#contract/enums.ts'
import { randomAlphanumeric } from '../../core/ids.ts'
import { deleteSessionsOfUser } from '../../db/accounts/sessions.ts'
import { findUserByUniqueColumn, updateUser } from '../../db/accounts/users.ts'
import { inTransaction } from '../../db/engine/database.ts'
import type { ApiContext } from '../context.ts'
import { consumeEmailCode, verifyEmailCode } from '../email-codes.ts'
import { hashPassword } from '../passwords.ts'
import { verificationError } from './errors.ts'

const PASSWORD_LENGTH = 16

/** Sets and returns a random password when the emailed token is valid, and ends all sessions of the user. */
export async function resetForgottenPassword(
  address: string,
  token: string,
  context: Pick<ApiContext, 'db' | 'secrets'>,
): Promise<string> {
  const { db } = context
  const verified = await verifyEmailCode({ purpose: 'reset', address }, token, context)
  if (!verified) throw verificationError('wrong_link')
  const password = randomAlphanumeric(PASSWORD_LENGTH)
  const password_hash = await hashPassword(password)
  await inTransaction(db, async tx => {
    const user = await findUserByUniqueColumn(tx, 'email', address)
    const isConsumed = await consumeEmailCode(tx, verified)
    if (!isConsumed || !user || user.deleted_at !== null || user.status !== USER_STATUS.enabled)
      throw verificationError('wrong_link')
    await updateUser(tx, user.id, { password_hash, must_change_password: 0 })
    await deleteSessionsOfUser(tx, user.id)
  })
  return password
}
