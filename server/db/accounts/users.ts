import type { Insertable, Selectable } from 'kysely'
import type { Database } from '../engine/database.ts'
import type { UserTable } from '../engine/tables.ts'

export type UserRow = Selectable<UserTable>
/** Where it stands who a user is at another party. */
export type IdentityColumn = 'github_id' | 'linux_do_id' | 'wechat_id' | 'telegram_id'
export type NewUser = Pick<
  Insertable<UserTable>,
  | 'username'
  | 'display_name'
  | 'password_hash'
  | 'must_change_password'
  | 'role'
  | 'group'
  | 'aff_code'
  | 'created_at'
  | 'email'
  | 'inviter_id'
  | IdentityColumn
>
export type UserUpdate = Partial<
  Pick<
    UserRow,
    | 'username'
    | 'display_name'
    | 'password_hash'
    | 'must_change_password'
    | 'group'
    | 'role'
    | 'status'
    | 'access_token_hash'
    | 'setting'
    | 'deleted_at'
  >
>

/** The user's columns that decide who may do what. */
const PRINCIPAL_COLUMNS = ['users.id', 'users.username', 'users.role', 'users.status', 'users.group'] as const
export type PrincipalRow = Pick<UserRow, 'id' | 'username' | 'role' | 'status' | 'group'>

/** A user that is not deleted. */
export function findUser(db: Database, id: number): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Any user, deleted ones included. The row stays locked until the transaction ends. */
export function lockUser(tx: Database, id: number): Promise<UserRow | undefined> {
  return tx
    .updateTable('users')
    .set(row => ({ role: row.ref('role') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/**
 * By e-mail address in any case, else by user name: addresses are proven, and a name may look like one. Deleted users are
 * not found.
 */
export function findUserByLogin(db: Database, login: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where(where => where.or([where('username', '=', login), where('email', '=', login.toLowerCase())]))
    .where('deleted_at', 'is', null)
    .orderBy(order => order.case().when('email', '=', login.toLowerCase()).then(0).else(1).end())
    .limit(1)
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
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Deleted users keep their name. */
export async function isUsernameTaken(db: Database, username: string): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').where('username', '=', username).executeTakeFirst()
  return row !== undefined
}

/**
 * Undefined when the name, the address or an identity is taken: by a process that was faster, or by a deleted user.
 */
export async function insertUserIfNew(tx: Database, user: NewUser): Promise<number | undefined> {
  const row = await tx
    .insertInto('users')
    .values(user)
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

export async function updateUser(tx: Database, id: number, change: UserUpdate): Promise<void> {
  if (Object.keys(change).length === 0) return
  await tx.updateTable('users').set(change).where('id', '=', id).execute()
}

export async function updateLastLogin(db: Database, id: number, atSeconds: number): Promise<void> {
  await db.updateTable('users').set({ last_login_at: atSeconds }).where('id', '=', id).execute()
}

/** The first user of a role that is not deleted. */
export function findUserByRole(
  db: Database,
  role: number,
): Promise<{ id: number; username: string } | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'username'])
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

/** What leads to one account each. */
export type UniqueColumn = IdentityColumn | 'email'

/** Whose account this is, deleted ones included. */
export function findUserByUniqueColumn(
  db: Database,
  column: UniqueColumn,
  value: string,
): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where(column, '=', value).executeTakeFirst()
}

/** Gives a user an address or an identity. False when it is another's, deleted ones included. */
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

export async function clearUniqueColumn(db: Database, userId: number, column: UniqueColumn): Promise<void> {
  await db
    .updateTable('users')
    .set({ [column]: '' })
    .where('id', '=', userId)
    .execute()
}

/** Counts one more invited user. */
export async function incrementInvitationCount(tx: Database, inviterId: number): Promise<void> {
  await tx
    .updateTable('users')
    .set(row => ({ aff_count: row('aff_count', '+', 1) }))
    .where('id', '=', inviterId)
    .execute()
}

/** The user whose invitation code this is. */
export function findInviter(db: Database, code: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('aff_code', '=', code)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}
