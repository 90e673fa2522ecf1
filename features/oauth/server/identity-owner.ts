import type { ApiContext } from '#server/api/context.ts'
import { claimUniqueColumn, findUserByUniqueColumn, type UserRow } from '#server/db/accounts/users.ts'
import type { ProviderIdentity } from './identity-providers.ts'
import type { OauthProvider } from './providers.ts'

/**
 * Finds the user who owns an identity, deleted ones included. Imported accounts may store the provider's user name instead
 * of its id: the next sign-in replaces it.
 */
export async function findIdentityOwner(
  { id, legacyId }: ProviderIdentity,
  { column }: OauthProvider,
  db: ApiContext['db'],
): Promise<UserRow | undefined> {
  const owner = await findUserByUniqueColumn(db, column, id)
  if (owner || legacyId === undefined || /^\d+$/.test(legacyId)) return owner
  const former = await findUserByUniqueColumn(db, column, legacyId)
  if (former) await claimUniqueColumn(db, former.id, column, id)
  return former && { ...former, [column]: id }
}
