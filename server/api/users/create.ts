import type { UserDraft } from '#contract/accounts/user-management.ts'
import type { UserRow } from '../../db/accounts/users.ts'
import { inTransaction } from '../../db/engine/database.ts'
import type { ApiContext } from '../context.ts'
import { createAccount } from '../create-account.ts'
import { hashPassword } from '../passwords.ts'
import { userError } from './errors.ts'

/** Creates a regular user with the quota of new users. Throws when the requested role is not below the caller's. */
export async function createUser(
  draft: UserDraft,
  { db, caller, settings, requestId }: Pick<ApiContext, 'db' | 'caller' | 'settings' | 'requestId'>,
): Promise<UserRow> {
  if (draft.role !== undefined && draft.role >= caller.role) throw userError('role_too_high')
  const account = {
    username: draft.username,
    displayName: draft.display_name,
    passwordHash: await hashPassword(draft.password),
    email: '',
    inviter: undefined,
  }
  const { values } = settings.current()
  const user = await inTransaction(db, tx =>
    createAccount(tx, account, { values, actorId: caller.id, requestId }),
  )
  if (!user) throw userError('name_taken')
  return user
}
