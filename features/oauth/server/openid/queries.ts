import { ROLE } from '#contract/enums.ts'
import { endAccess } from '#server/db/accounts/sessions.ts'
import { findUser, type UserRow } from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'
import {
  type OpenIdIdentityTable,
  type OpenIdProviderTable,
  type OpenIdSessionTable,
  withOpenIdTables,
} from './tables.ts'

/** Providers are few: their lists have no pages. */
export const PROVIDERS_MAX = 20
/** Sessions of one provider session that end together; browsers of one person are few. */
const SESSIONS_MAX = 1000

export const listProviders = (db: Database): Promise<OpenIdProviderTable[]> =>
  withOpenIdTables(db)
    .selectFrom('openid_providers')
    .selectAll()
    .orderBy('created_at')
    .orderBy('slug')
    .limit(PROVIDERS_MAX)
    .execute()

export const findProvider = (db: Database, slug: string): Promise<OpenIdProviderTable | undefined> =>
  withOpenIdTables(db).selectFrom('openid_providers').selectAll().where('slug', '=', slug).executeTakeFirst()

export const findProviderByScimToken = (
  db: Database,
  tokenHash: string,
): Promise<OpenIdProviderTable | undefined> =>
  withOpenIdTables(db)
    .selectFrom('openid_providers')
    .selectAll()
    .where('scim_token_hash', '=', tokenHash)
    .executeTakeFirst()

/** False when the slug is taken. */
export async function insertProvider(db: Database, row: OpenIdProviderTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await withOpenIdTables(db)
    .insertInto('openid_providers')
    .values(row)
    .onConflict(conflict => conflict.column('slug').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export async function updateProvider(
  db: Database,
  slug: string,
  values: Partial<OpenIdProviderTable>,
): Promise<void> {
  await withOpenIdTables(db).updateTable('openid_providers').set(values).where('slug', '=', slug).execute()
}

/** Deletes a provider with its identities and sessions. False when there is none. */
export async function deleteProvider(tx: Database, slug: string): Promise<boolean> {
  const tables = withOpenIdTables(tx)
  await tables.deleteFrom('openid_sessions').where('provider', '=', slug).execute()
  await tables.deleteFrom('openid_identities').where('provider', '=', slug).execute()
  const { numDeletedRows } = await tables
    .deleteFrom('openid_providers')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/** Number of users by provider. */
export async function countIdentities(db: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await withOpenIdTables(db)
    .selectFrom('openid_identities')
    .select(({ fn }) => ['provider', fn.countAll<number | string>().as('users')])
    .groupBy('provider')
    .execute()
  return new Map(rows.map(({ provider, users }) => [provider, Number(users)]))
}

/** The user whom a subject of a provider is, deleted ones included. */
export const findUserBySubject = (
  db: Database,
  provider: string,
  subject: string,
): Promise<UserRow | undefined> =>
  withOpenIdTables(db)
    .selectFrom('openid_identities')
    .innerJoin('users', 'users.id', 'openid_identities.user_id')
    .selectAll('users')
    .where('openid_identities.provider', '=', provider)
    .where('openid_identities.subject', '=', subject)
    .executeTakeFirst()

/** False when the subject is another user, or the user has another subject of this provider. */
export async function insertIdentity(db: Database, row: OpenIdIdentityTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await withOpenIdTables(db)
    .insertInto('openid_identities')
    .values(row)
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export const listIdentities = (db: Database, userId: number): Promise<OpenIdIdentityTable[]> =>
  withOpenIdTables(db)
    .selectFrom('openid_identities')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .limit(PROVIDERS_MAX)
    .execute()

/** False when there is none. */
export async function deleteIdentity(db: Database, userId: number, provider: string): Promise<boolean> {
  const { numDeletedRows } = await withOpenIdTables(db)
    .deleteFrom('openid_identities')
    .where('user_id', '=', userId)
    .where('provider', '=', provider)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

export async function deleteIdentitiesOfUser(tx: Database, userId: number): Promise<void> {
  const tables = withOpenIdTables(tx)
  await tables.deleteFrom('openid_sessions').where('user_id', '=', userId).execute()
  await tables.deleteFrom('openid_identities').where('user_id', '=', userId).execute()
}

export async function insertOpenIdSession(
  db: Database,
  row: OpenIdSessionTable,
  nowSeconds: number,
): Promise<void> {
  const tables = withOpenIdTables(db)
  await tables.deleteFrom('openid_sessions').where('expires_at', '<=', nowSeconds).execute()
  await tables.insertInto('openid_sessions').values(row).execute()
}

/** Takes the sign-in of a handle, which works once. */
export const takeOpenIdSession = (
  db: Database,
  handleHash: string,
): Promise<OpenIdSessionTable | undefined> =>
  withOpenIdTables(db)
    .deleteFrom('openid_sessions')
    .where('handle_hash', '=', handleHash)
    .returningAll()
    .executeTakeFirst()

/** Users of a session of the provider. */
export async function listUsersOfSid(
  db: Database,
  provider: string,
  sid: string,
): Promise<readonly number[]> {
  const rows = await withOpenIdTables(db)
    .selectFrom('openid_sessions')
    .select('user_id')
    .distinct()
    .where('provider', '=', provider)
    .where('sid', '=', sid)
    .limit(SESSIONS_MAX)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Sets role and group of a user who is no super administrator. False when both are so already. Who loses rights is signed out. */
export async function updateRoleAndGroup(
  db: Database,
  userId: number,
  values: { readonly role: number; readonly group: string },
): Promise<boolean> {
  const user = await findUser(db, userId)
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set(values)
    .where('id', '=', userId)
    .where('role', '<', ROLE.root)
    .where(({ or, eb }) => or([eb('role', '!=', values.role), eb('group', '!=', values.group)]))
    .executeTakeFirstOrThrow()
  const isChanged = numUpdatedRows === 1n
  if (isChanged && user && user.role > values.role) await endAccess(db, userId)
  return isChanged
}

/** Locks the row until the transaction ends. */
export async function lockProvider(tx: Database, slug: string): Promise<void> {
  await withOpenIdTables(tx)
    .updateTable('openid_providers')
    .set(row => ({ slug: row.ref('slug') }))
    .where('slug', '=', slug)
    .execute()
}
