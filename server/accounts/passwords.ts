import type { ApiContext } from '../api/context.ts'
import type { Events } from '../api/events.ts'
import { endAccess } from '../db/accounts/sessions.ts'
import { type UserRow, type UserUpdate, updateUser } from '../db/accounts/users.ts'
import type { Database } from '../db/engine/database.ts'
import { cancelEmailCode } from './email-codes.ts'

type PasswordColumns = Required<Pick<UserUpdate, 'password_hash' | 'must_change_password'>>

/** Stores a new password. All sessions, the access token and whatever listens for it end with the old one. */
export async function replacePassword(
  tx: Database,
  userId: number,
  columns: PasswordColumns,
  { events }: { readonly events: Pick<Events, 'credentialsChanged'> },
): Promise<void> {
  await updateUser(tx, userId, columns)
  await endAccess(tx, userId)
  await events.credentialsChanged(tx, userId)
}

/** Replaces the password. A reset link that was mailed before is void, whoever requested it. */
export async function storePassword(
  tx: Database,
  user: UserRow,
  password_hash: string,
  context: Pick<ApiContext, 'secrets' | 'events'>,
): Promise<void> {
  await replacePassword(tx, user.id, { password_hash, must_change_password: 0 }, context)
  if (user.email !== '') await cancelEmailCode(tx, { purpose: 'reset', address: user.email }, context)
}
