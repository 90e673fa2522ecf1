import type { Insertable, Selectable } from 'kysely'
import type { Database } from './database.ts'
import type { UserTable } from './tables.ts'

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
export type UserChange = Partial<
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
const IDENTITY = ['users.id', 'users.username', 'users.role', 'users.status', 'users.group'] as const
export type IdentityRow = Pick<UserRow, 'id' | 'username' | 'role' | 'status' | 'group'>

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

export function findIdentityByAccessToken(
  db: Database,
  accessTokenHash: string,
): Promise<IdentityRow | undefined> {
  return db
    .selectFrom('users')
    .select(IDENTITY)
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

export async function updateUser(tx: Database, id: number, change: UserChange): Promise<void> {
  if (Object.keys(change).length === 0) return
  await tx.updateTable('users').set(change).where('id', '=', id).execute()
}

export async function markLogin(db: Database, id: number, atSeconds: number): Promise<void> {
  await db.updateTable('users').set({ last_login_at: atSeconds }).where('id', '=', id).execute()
}

/** The first user of a role that is not deleted. */
export function findUserOfRole(
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

export async function hasUserOfRole(db: Database, role: number): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').where('role', '=', role).limit(1).executeTakeFirst()
  return row !== undefined
}
