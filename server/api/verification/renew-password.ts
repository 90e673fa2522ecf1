import { randomAlphanumeric } from '../../core/ids.ts'
import { inTransaction } from '../../db/database.ts'
import { findUserByUniqueColumn } from '../../db/identities.ts'
import { deleteSessionsOfUser } from '../../db/sessions.ts'
import { updateUser } from '../../db/users.ts'
import { USER_STATUS } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { checkCode, spendCode } from '../mail-codes.ts'
import { hashPassword } from '../passwords.ts'
import { refuse } from './refuse.ts'

const PASSWORD_LETTERS = 16

/** Gives the owner of an address a new password by the token that was mailed, and ends all sessions. */
export async function renewPassword(
  address: string,
  token: string,
  context: Pick<ApiContext, 'db' | 'secrets'>,
): Promise<string> {
  const { db } = context
  const right = await checkCode({ purpose: 'reset', address }, token, context)
  if (!right) throw refuse('wrong_link')
  const password = randomAlphanumeric(PASSWORD_LETTERS)
  const password_hash = await hashPassword(password)
  await inTransaction(db, async tx => {
    const user = await findUserByUniqueColumn(tx, 'email', address)
    const isSpent = await spendCode(tx, right)
    if (!isSpent || !user || user.deleted_at !== null || user.status !== USER_STATUS.enabled)
      throw refuse('wrong_link')
    await updateUser(tx, user.id, { password_hash, must_change_password: 0 })
    await deleteSessionsOfUser(tx, user.id)
  })
  return password
}
