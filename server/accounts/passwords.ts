import { deleteDeviceSignInsOfUser } from '#features/device-sign-in/server/queries.ts'
import { nowSeconds } from '../core/clock.ts'
import { deleteSessionsOfUser } from '../db/accounts/sessions.ts'
import { deleteTokens } from '../db/accounts/tokens.ts'
import { type UserUpdate, updateUser } from '../db/accounts/users.ts'
import type { Database } from '../db/engine/database.ts'

type PasswordColumns = Required<Pick<UserUpdate, 'password_hash' | 'must_change_password'>>

/** Stores a new password. All sessions, the access token and the sign-ins of programs of the user end with the old one. */
export async function replacePassword(tx: Database, userId: number, columns: PasswordColumns): Promise<void> {
  await updateUser(tx, userId, { ...columns, access_token_hash: null })
  await deleteSessionsOfUser(tx, userId)
  const ids = await deleteDeviceSignInsOfUser(tx, userId)
  if (ids.length > 0) await deleteTokens(tx, { userId, ids }, nowSeconds())
}
