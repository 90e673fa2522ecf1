import { USER_STATUS } from '#contract/enums.ts'
import { endAccess } from '#server/db/accounts/sessions.ts'
import type { Database } from '#server/db/engine/database.ts'
import { type ScimGroupTable, type ScimMemberTable, type ScimUserTable, withScimTables } from './tables.ts'

/** Rows at a time, so that others have their turn between two pages. */
export const ROWS_AT_ONCE = 200
/** Above the people of a large company; a group beyond it would be cut. */
const MEMBERS_MAX = 50_000

type ResourceTable = 'scim_users' | 'scim_groups'

/** The columns that providers look resources up by. */
export interface ScimLookup {
  readonly column: 'id' | 'user_name' | 'external_id' | 'display_name'
  readonly value: string
}

export const findScimUser = (
  db: Database,
  provider: string,
  id: string,
): Promise<ScimUserTable | undefined> =>
  withScimTables(db)
    .selectFrom('scim_users')
    .selectAll()
    .where('provider', '=', provider)
    .where('id', '=', id)
    .where('deleted_at', '=', 0)
    .executeTakeFirst()

/** The user of an account, also a deleted one. */
export const findScimUserOf = (
  db: Database,
  provider: string,
  userId: number,
): Promise<ScimUserTable | undefined> =>
  withScimTables(db)
    .selectFrom('scim_users')
    .selectAll()
    .where('provider', '=', provider)
    .where('user_id', '=', userId)
    .executeTakeFirst()

export const findScimGroup = (
  db: Database,
  provider: string,
  id: string,
): Promise<ScimGroupTable | undefined> =>
  withScimTables(db)
    .selectFrom('scim_groups')
    .selectAll()
    .where('provider', '=', provider)
    .where('id', '=', id)
    .executeTakeFirst()

export async function countResources(db: Database, table: ResourceTable, provider: string): Promise<number> {
  const { total } = await withScimTables(db)
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .where('provider', '=', provider)
    .$if(table === 'scim_users', query => query.where('deleted_at', '=', 0))
    .executeTakeFirstOrThrow()
  return Number(total)
}

interface ScimPage {
  readonly offset: number
  readonly limit: number
  readonly lookup?: ScimLookup | undefined
}

export const listScimUsers = (db: Database, provider: string, page: ScimPage): Promise<ScimUserTable[]> =>
  withScimTables(db)
    .selectFrom('scim_users')
    .selectAll()
    .where('provider', '=', provider)
    .where('deleted_at', '=', 0)
    .$if(page.lookup !== undefined, query =>
      query.where(toUserColumn(page.lookup), '=', page.lookup?.value ?? ''),
    )
    .orderBy('id')
    .offset(page.offset)
    .limit(page.limit)
    .execute()

const toUserColumn = (lookup: ScimLookup | undefined) =>
  lookup?.column === 'display_name' || lookup === undefined ? 'id' : lookup.column

export const listScimGroups = (db: Database, provider: string, page: ScimPage): Promise<ScimGroupTable[]> =>
  withScimTables(db)
    .selectFrom('scim_groups')
    .selectAll()
    .where('provider', '=', provider)
    .$if(page.lookup !== undefined, query =>
      query.where(toGroupColumn(page.lookup), '=', page.lookup?.value ?? ''),
    )
    .orderBy('id')
    .offset(page.offset)
    .limit(page.limit)
    .execute()

const toGroupColumn = (lookup: ScimLookup | undefined) =>
  lookup?.column === 'user_name' || lookup === undefined ? 'id' : lookup.column

/** Inserts or replaces a resource. False when its unique name is taken. */
export async function saveScimUser(tx: Database, row: ScimUserTable): Promise<boolean> {
  const isTaken = await withScimTables(tx)
    .selectFrom('scim_users')
    .select('id')
    .where('provider', '=', row.provider)
    .where('user_name', '=', row.user_name)
    .where('id', '!=', row.id)
    .executeTakeFirst()
  if (isTaken) return false
  const { id: _, ...values } = row
  await withScimTables(tx)
    .insertInto('scim_users')
    .values(row)
    .onConflict(conflict => conflict.column('id').doUpdateSet(values))
    .execute()
  return true
}

/** As `saveScimUser`. */
export async function saveScimGroup(tx: Database, row: ScimGroupTable): Promise<boolean> {
  const isTaken = await withScimTables(tx)
    .selectFrom('scim_groups')
    .select('id')
    .where('provider', '=', row.provider)
    .where('display_name', '=', row.display_name)
    .where('id', '!=', row.id)
    .executeTakeFirst()
  if (isTaken) return false
  const { id: _, ...values } = row
  await withScimTables(tx)
    .insertInto('scim_groups')
    .values(row)
    .onConflict(conflict => conflict.column('id').doUpdateSet(values))
    .execute()
  return true
}

/** Forgets a user but for their account. */
export async function deleteScimUser(tx: Database, id: string, nowMs: number): Promise<void> {
  await withScimTables(tx).deleteFrom('scim_members').where('scim_user_id', '=', id).execute()
  await withScimTables(tx)
    .updateTable('scim_users')
    .set({ user_name: id, external_id: '', is_active: 0, body: '{}', deleted_at: nowMs })
    .where('id', '=', id)
    .execute()
}

/** Deletes a group with its memberships. */
export async function deleteScimGroup(tx: Database, id: string): Promise<void> {
  await withScimTables(tx).deleteFrom('scim_members').where('group_id', '=', id).execute()
  await withScimTables(tx).deleteFrom('scim_groups').where('id', '=', id).execute()
}

/** Members of a group by id, with their names: those of the same provider. Returns the ids that were or are members. */
export async function replaceMembers(
  tx: Database,
  { id, provider }: Pick<ScimGroupTable, 'id' | 'provider'>,
  members: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const former = (await listMembers(tx, id)).map(({ scim_user_id }) => scim_user_id)
  const ids = [...members.keys()]
  await withScimTables(tx).deleteFrom('scim_members').where('group_id', '=', id).execute()
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
    const known = await withScimTables(tx)
      .selectFrom('scim_users')
      .select('id')
      .where('provider', '=', provider)
      .where('id', 'in', ids.slice(at, at + ROWS_AT_ONCE))
      .execute()
    const rows = known.map(user => ({
      group_id: id,
      scim_user_id: user.id,
      display: members.get(user.id) ?? '',
    }))
    if (rows.length > 0) await withScimTables(tx).insertInto('scim_members').values(rows).execute()
  }
  return [...new Set([...former, ...ids])]
}

export const listMembers = (db: Database, groupId: string): Promise<ScimMemberTable[]> =>
  withScimTables(db)
    .selectFrom('scim_members')
    .selectAll()
    .where('group_id', '=', groupId)
    .orderBy('scim_user_id')
    .limit(MEMBERS_MAX)
    .execute()

/** Groups of a user of this gateway, as its provider keeps them. */
export async function listGroupNames(
  db: Database,
  provider: string,
  userId: number,
): Promise<readonly string[]> {
  const rows = await withScimTables(db)
    .selectFrom('scim_members')
    .innerJoin('scim_users', 'scim_users.id', 'scim_members.scim_user_id')
    .innerJoin('scim_groups', 'scim_groups.id', 'scim_members.group_id')
    .select('scim_groups.display_name')
    .where('scim_users.provider', '=', provider)
    .where('scim_users.user_id', '=', userId)
    .limit(MEMBERS_MAX)
    .execute()
  return rows.map(({ display_name }) => display_name)
}

/** Lets a user in or out. Their sessions and access token end; balance and postings stay. */
export async function setUserAccess(tx: Database, userId: number, isActive: boolean): Promise<void> {
  await tx
    .updateTable('users')
    .set({ status: isActive ? USER_STATUS.enabled : USER_STATUS.banned })
    .where('id', '=', userId)
    .execute()
  if (!isActive) await endAccess(tx, userId)
}

export async function updateDisplayName(tx: Database, userId: number, name: string): Promise<void> {
  await tx.updateTable('users').set({ display_name: name }).where('id', '=', userId).execute()
}

/** The audit log shows no more accounts of one change. */
const ACCOUNTS_MAX = 1000

/** The accounts of users that a provider has. */
export async function listAccountIds(
  db: Database,
  provider: string,
  ids: readonly string[],
): Promise<readonly number[]> {
  if (ids.length === 0) return []
  const rows = await withScimTables(db)
    .selectFrom('scim_users')
    .select('user_id')
    .where('provider', '=', provider)
    .where('id', 'in', [...new Set(ids)].slice(0, ACCOUNTS_MAX))
    .execute()
  return rows.map(({ user_id }) => Number(user_id))
}
