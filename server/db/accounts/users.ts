import type { Insertable, Selectable } from 'kysely'
import type { Database } from '../engine/database.ts'
import type { UserTable } from '../engine/tables.ts'

export type UserRow = Selectable<UserTable>

/** Columns with the user's id at an identity provider. */
export type IdentityColumn = 'github_id' | 'linux_do_id' | 'wechat_id' | 'telegram_id'

/** Columns that change only together with a posting. */
type Balance = 'quota' | 'held_quota' | 'used_quota' | 'request_count' | 'aff_quota' | 'aff_history_quota'
export type NewUser = Omit<
  Insertable<UserTable>,
  | Balance
  | 'id'
  | 'status'
  | 'aff_count'
  | 'access_token_hash'
  | 'setting'
  | 'warned_at'
  | 'last_login_at'
  | 'deleted_at'
>

/** Addresses, identities and figures have functions of their own. */
export type UserUpdate = Partial<
  Omit<
    UserRow,
    | Balance
    | UniqueColumn
    | 'id'
    | 'aff_code'
    | 'aff_count'
    | 'inviter_id'
    | 'warned_at'
    | 'created_at'
    | 'last_login_at'
  >
>

/** The columns that decide a signed-in user's permissions. */
const PRINCIPAL_COLUMNS = ['users.id', 'users.username', 'users.role', 'users.status', 'users.group'] as const
export type PrincipalRow = Pick<UserRow, 'id' | 'username' | 'role' | 'status' | 'group'>

/** Finds a user that is not deleted. */
export function findUser(db: Database, id: number): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Finds a user, deleted ones included, and locks the row until the transaction ends. */
export function lockUser(tx: Database, id: number): Promise<UserRow | undefined> {
  return tx
    .updateTable('users')
    .set(row => ({ role: row.ref('role') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

export function findPrincipalByAccessToken(
  db: Database,
  accessTokenHash: string,
): Promise<PrincipalRow | undefined> {
  return db
    .selectFrom('users')
    .select(PRINCIPAL_COLUMNS)
    .where('access_token_hash', '=', accessTokenHash)
    .where('kind', '=', 'person')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Whether a user has this name, deleted ones included. */
export async function isUsernameTaken(db: Database, username: string): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').where('username', '=', username).executeTakeFirst()
  return row !== undefined
}

/** Returns the new id, or undefined when the name, the address or an identity is taken, possibly by a deleted user. */
export async function insertUserIfNew(tx: Database, user: NewUser): Promise<number | undefined> {
  const row = await tx
    .insertInto('users')
    .values(user)
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

export async function updateUser(tx: Database, id: number, update: UserUpdate): Promise<void> {
  if (Object.keys(update).length === 0) return
  await tx.updateTable('users').set(update).where('id', '=', id).execute()
}

export async function updateLastLogin(db: Database, id: number, atSeconds: number): Promise<void> {
  await db.updateTable('users').set({ last_login_at: atSeconds }).where('id', '=', id).execute()
}

/** Finds the first user with this role that is not deleted. */
export function findUserByRole(
  db: Database,
  role: number,
): Promise<{ id: number; username: string; created_at: number } | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'created_at'])
    .where('role', '=', role)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

export async function hasUserWithRole(db: Database, role: number): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').where('role', '=', role).limit(1).executeTakeFirst()
  return row !== undefined
}

/** Columns whose values are unique among users: each one identifies a single account. */
export type UniqueColumn = IdentityColumn | 'email'

/** Finds the user with this address or identity, deleted ones included. */
export function findUserByUniqueColumn(
  db: Database,
  column: UniqueColumn,
  value: string,
): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where(column, '=', value).executeTakeFirst()
}

/** Assigns an address or identity to a user. Returns false when another user has it, deleted ones included. */
export async function claimUniqueColumn(
  db: Database,
  userId: number,
  column: UniqueColumn,
  value: string,
): Promise<boolean> {
  const isFree = async () => {
    const owner = await findUserByUniqueColumn(db, column, value)
    return owner === undefined || owner.id === userId
  }
  if (!(await isFree())) return false
  try {
    // Another process may take the value between the check and the update; the unique index decides.
    await db
      .updateTable('users')
      .set({ [column]: value })
      .where('id', '=', userId)
      .execute()
    return true
  } catch (error) {
    if (await isFree()) throw error
    return false
  }
}

/** Adds one to the number of users that the inviter has invited. */
export async function incrementInvitationCount(tx: Database, inviterId: number): Promise<void> {
  await tx
    .updateTable('users')
    .set(row => ({ aff_count: row('aff_count', '+', 1) }))
    .where('id', '=', inviterId)
    .execute()
}

/** Finds the user with this invitation code. */
export function findInviter(db: Database, code: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('aff_code', '=', code)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}
