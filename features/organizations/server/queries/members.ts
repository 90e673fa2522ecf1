import type { Insertable, Selectable, Updateable } from 'kysely'
import { TOKEN_STATUS, USER_STATUS } from '#contract/enums.ts'
import type { Database } from '#server/db/engine/database.ts'
import { contains } from '#server/db/engine/text.ts'
import type { NotifiedAccount } from '#server/notifications/send-notification.ts'
import type { Membership } from '../membership.ts'
import { type OrganizationTables, withOrganizationTables } from '../tables.ts'

type Members = OrganizationTables['organization_members']
export type MemberRow = Selectable<Members>

const members = (db: Database) => withOrganizationTables(db).selectFrom('organization_members')

/** What a person is in an organisation that exists. */
export async function findMembership(
  db: Database,
  organizationId: number,
  userId: number,
): Promise<Membership | undefined> {
  const row = await members(db)
    .innerJoin('users', 'users.id', 'organization_members.organization_id')
    .select([
      'organization_members.id as member_id',
      'organization_members.role as member_role',
      'users.id',
      'users.username',
      'users.role',
      'users.group',
      'users.status',
    ])
    .where('organization_members.user_id', '=', userId)
    .where('organization_id', '=', organizationId)
    .where('organization_members.status', '=', 'active')
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const { member_id: id, member_role: role, ...organization } = row
  return { id, role, organization }
}

/** The organisations of a person that exist, by name. */
export const listMemberships = (db: Database, userId: number) =>
  members(db)
    .innerJoin('users', 'users.id', 'organization_members.organization_id')
    .select([
      'organization_id',
      'organization_members.id as member_id',
      'organization_members.role',
      'users.display_name',
      'users.status',
    ])
    .where('organization_members.user_id', '=', userId)
    .where('organization_members.status', '=', 'active')
    .where('users.deleted_at', 'is', null)
    .orderBy('users.display_name')
    .orderBy('organization_id')
    .execute()

export async function insertMember(tx: Database, member: Insertable<Members>): Promise<number> {
  const { id } = await withOrganizationTables(tx)
    .insertInto('organization_members')
    .values(member)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** A member or an invited person, locked until the transaction ends. */
export const lockMember = (
  tx: Database,
  { organizationId, id }: { readonly organizationId: number; readonly id: number },
): Promise<MemberRow | undefined> =>
  withOrganizationTables(tx)
    .updateTable('organization_members')
    .set(row => ({ role: row.ref('role') }))
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('status', '<>', 'ended')
    .returningAll()
    .executeTakeFirst()

/** The active membership of a person, locked until the transaction ends. */
export const lockMemberOf = (
  tx: Database,
  organizationId: number,
  userId: number,
): Promise<MemberRow | undefined> =>
  withOrganizationTables(tx)
    .updateTable('organization_members')
    .set(row => ({ role: row.ref('role') }))
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('status', '=', 'active')
    .returningAll()
    .executeTakeFirst()

/** Organisations of which an identity provider has made a person a member. */
export async function listMappedOrganizations(
  db: Database,
  userId: number,
  source: string,
): Promise<readonly number[]> {
  const rows = await members(db)
    .select('organization_id')
    .where('user_id', '=', userId)
    .where('status', '=', 'active')
    .where('source', '=', source)
    .execute()
  return rows.map(({ organization_id }) => organization_id)
}

/** The last membership that a provider had begun and that has ended. */
export async function findFormerMember(
  tx: Database,
  {
    organizationId,
    userId,
    source,
  }: Record<'organizationId' | 'userId', number> & { readonly source: string },
): Promise<number | undefined> {
  const row = await members(tx)
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('source', '=', source)
    .where('status', '=', 'ended')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row?.id
}

export const updateMemberRow = (tx: Database, id: number, change: Updateable<Members>) =>
  withOrganizationTables(tx).updateTable('organization_members').set(change).where('id', '=', id).execute()

/** The person who is invited with this secret, and the organisation, unless either has ended. */
export const findInvited = (db: Database, invitationHash: string, now: number) =>
  members(db)
    .innerJoin('users', 'users.id', 'organization_members.organization_id')
    .select([
      'organization_members.id',
      'organization_members.role',
      'organization_id',
      'users.display_name',
      'users.status',
    ])
    .where('invitation_hash', '=', invitationHash)
    .where('organization_members.status', '=', 'invited')
    .where('invited_until', '>', now)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst()

/** Makes an invited person a member. False: the invitation was used or withdrawn meanwhile. */
export async function claimInvitation(
  tx: Database,
  invitationHash: string,
  { userId, now }: { readonly userId: number; readonly now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await withOrganizationTables(tx)
    .updateTable('organization_members')
    .set({ user_id: userId, status: 'active', invitation_hash: null, invited_until: 0, joined_at: now })
    .where('invitation_hash', '=', invitationHash)
    .where('status', '=', 'invited')
    .where('invited_until', '>', now)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export async function countMembers(db: Database, organizationId: number): Promise<number> {
  const { count } = await members(db)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('status', '<>', 'ended')
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function countOwners(tx: Database, organizationId: number): Promise<number> {
  const { count } = await members(tx)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'active')
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  return Number(count)
}

interface MemberFilter {
  readonly organizationId: number
  readonly keyword: string
  /** Empty: those that have not ended. */
  readonly status: MemberRow['status'] | ''
}

const matching = (db: Database, { organizationId, keyword, status }: MemberFilter) =>
  members(db)
    .leftJoin('users', 'users.id', 'organization_members.user_id')
    .where('organization_id', '=', organizationId)
    .$if(status === '', found => found.where('organization_members.status', '<>', 'ended'))
    .$if(status !== '', found =>
      found.where('organization_members.status', '=', status === '' ? 'ended' : status),
    )
    .$if(keyword !== '', found =>
      found.where(where =>
        where.or([
          contains(where.ref('organization_members.name'), keyword),
          contains(where.ref('organization_members.email'), keyword),
          contains(where.fn.coalesce('users.username', where.val('')), keyword),
        ]),
      ),
    )

/** A page of members, by name. */
export const listMemberPage = (
  db: Database,
  filter: MemberFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
) =>
  matching(db, filter)
    .selectAll('organization_members')
    .select('users.username')
    .orderBy('organization_members.name')
    .orderBy('organization_members.id')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countMatchingMembers(db: Database, filter: MemberFilter): Promise<number> {
  const { count } = await matching(db, filter)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Ends members: of an organisation, or one of them. Their rows and budgets stay for the books. */
export async function endMembers(
  tx: Database,
  of: { readonly organization_id: number } | { readonly id: number },
  now: number,
): Promise<void> {
  const ended = await withOrganizationTables(tx)
    .updateTable('organization_members')
    .set({ status: 'ended', invitation_hash: null, invited_until: 0, ended_at: now })
    .$if('id' in of, update => update.where('id', '=', 'id' in of ? of.id : 0))
    .$if('organization_id' in of, update =>
      update.where('organization_id', '=', 'organization_id' in of ? of.organization_id : 0),
    )
    .where('status', '<>', 'ended')
    .returning('id')
    .execute()
  if ('id' in of && ended.length > 0) await disableTokens(tx, 'member_id', of.id)
}

/** Requests in progress complete, the next one is rejected. */
export const disableTokens = (tx: Database, column: 'member_id' | 'project_id', id: number) =>
  tx
    .updateTable('tokens')
    .set({ status: TOKEN_STATUS.disabled })
    .where(column, '=', id)
    .where('status', '<>', TOKEN_STATUS.disabled)
    .execute()

/** Members with enabled tokens that ended at this time or later: one was made while they were being removed. */
export async function listEndedWithTokens(
  db: Database,
  since: number,
  limit: number,
): Promise<readonly number[]> {
  const rows = await members(db)
    .innerJoin('tokens', 'tokens.member_id', 'organization_members.id')
    .select('organization_members.id')
    .distinct()
    .where('ended_at', '>=', since)
    .where('tokens.status', '<>', TOKEN_STATUS.disabled)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

const RECIPIENTS_MAX = 100

/** How those members want to be notified whom the money of an organisation concerns. */
export const listRecipients = (
  db: Database,
  organizationId: number,
): Promise<Pick<NotifiedAccount, 'email' | 'setting'>[]> =>
  members(db)
    .innerJoin('users', 'users.id', 'organization_members.user_id')
    .select(['users.email', 'users.setting'])
    .where('organization_id', '=', organizationId)
    .where('organization_members.status', '=', 'active')
    .where('organization_members.role', 'in', ['billing', 'admin', 'owner'])
    .where('users.status', '=', USER_STATUS.enabled)
    .where('users.deleted_at', 'is', null)
    .orderBy('organization_members.id')
    .limit(RECIPIENTS_MAX)
    .execute()

/** The organisation of a member or a project. */
export async function findSubjectPayer(
  db: Database,
  table: keyof OrganizationTables,
  id: number,
): Promise<number | undefined> {
  const row = await withOrganizationTables(db)
    .selectFrom(table)
    .select('organization_id')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.organization_id
}

/** Names of members or projects, those that have ended included. */
export async function findSubjectNames(
  db: Database,
  table: keyof OrganizationTables,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const found = withOrganizationTables(db).selectFrom(table).select(['id', 'name'])
  return new Map((await found.where('id', 'in', ids).execute()).map(({ id, name }) => [id, name]))
}
