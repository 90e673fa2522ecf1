import type { Events } from '../api/events.ts'
import { deleteSessionsOfUser } from '../db/accounts/sessions.ts'
import { type UserUpdate, updateUser } from '../db/accounts/users.ts'
import type { Database } from '../db/engine/database.ts'

type PasswordColumns = Required<Pick<UserUpdate, 'password_hash' | 'must_change_password'>>

/** Stores a new password. All sessions, the access token and whatever listens for it end with the old one. */
export async function replacePassword(
  tx: Database,
  userId: number,
  columns: PasswordColumns,
  { events }: { readonly events: Pick<Events, 'credentialsChanged'> },
): Promise<void> {
  await updateUser(tx, userId, { ...columns, access_token_hash: null })
  await deleteSessionsOfUser(tx, userId)
  await events.credentialsChanged(tx, userId)
}
