import { USERNAME_LENGTH_MAX } from '#contract/entities/user-fields.ts'
import { ROLE } from '#contract/enums.ts'
import { freeBalance } from '#server/accounts/user-view.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import { findUser, insertUserIfNew, lockUser, type UserRow, updateUser } from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import {
  type Organization,
  type OrganizationSummary,
  OWN_ORGANIZATIONS_MAX,
} from '../contract/organizations.ts'
import { requireMember, requireOtherOwner } from './access.ts'
import { organizationError } from './errors.ts'
import { hashInvitation } from './invitations.ts'
import { hasRole } from './membership.ts'
import {
  claimInvitation,
  countMembers,
  endMembers,
  findInvited,
  findMembership,
  insertMember,
  listMemberships,
  lockMember,
  updateMemberRow,
} from './queries/members.ts'

type Creators = 'nobody' | 'admins' | 'everybody'
const NAME_ATTEMPTS = 8
const SUFFIX_LENGTH = 4
const HANDLE_LENGTH = 8

export const mayCreate = ({ role }: ApiContext['caller'], creators: Creators): boolean =>
  creators === 'everybody' || (creators === 'admins' && role >= ROLE.admin)

export async function listOwn({
  db,
  caller,
}: Pick<ApiContext, 'db' | 'caller'>): Promise<OrganizationSummary[]> {
  const rows = await listMemberships(db, caller.id)
  return rows.map(({ organization_id, display_name, role, status }) => ({
    id: organization_id,
    name: display_name,
    role,
    is_enabled: status === 1,
  }))
}

/** Creates an organisation of the caller's group, with nothing in its wallet. */
export function createOrganization(
  name: string,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<OrganizationSummary> {
  return inTransaction(db, async tx => {
    await lockUser(tx, caller.id)
    const owned = (await listMemberships(tx, caller.id)).filter(({ role }) => role === 'owner')
    if (owned.length >= OWN_ORGANIZATIONS_MAX)
      throw organizationError('too_many', { count: OWN_ORGANIZATIONS_MAX })
    const id = await insertAccount(tx, name, caller.group)
    await insertOwner(tx, id, { ...caller, display_name: '' })
    return { id, name, role: 'owner', is_enabled: true }
  })
}

/** Nothing can prove to be this account: it has no password, address, identity or access token. */
async function insertAccount(tx: Database, name: string, group: string): Promise<number> {
  for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt += 1) {
    const id = await insertUserIfNew(tx, {
      kind: 'organization',
      username: handleOf(name, attempt),
      display_name: name,
      password_hash: '',
      role: ROLE.user,
      group,
      aff_code: randomAlphanumeric(HANDLE_LENGTH),
      created_at: nowSeconds(),
    })
    if (id !== undefined) return id
  }
  throw organizationError('name_taken')
}

/** The name by which logs and lists show the account: unique, without spaces. */
function handleOf(name: string, attempt: number): string {
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}-]/gu, '') || 'org'
  if (attempt === 0) return letters.slice(0, USERNAME_LENGTH_MAX)
  const suffix = `-${randomAlphanumeric(SUFFIX_LENGTH).toLowerCase()}`
  return letters.slice(0, USERNAME_LENGTH_MAX - suffix.length) + suffix
}

export async function readOrganization({
  db,
  caller,
}: Pick<ApiContext, 'db' | 'caller'>): Promise<Organization> {
  const member = requireMember(caller)
  const account = await findUser(db, caller.id)
  if (!account) throw organizationError('unknown')
  const seesMoney = hasRole(member.role, 'billing')
  return {
    id: account.id,
    name: account.display_name,
    role: member.role,
    is_enabled: true,
    group: account.group,
    member_id: member.id,
    members: await countMembers(db, account.id),
    quota: seesMoney ? freeBalance(account) : null,
    used_quota: seesMoney ? account.used_quota : null,
  }
}

/** Deletes an organisation without money. Throws organization.has_money otherwise. */
export function deleteOrganization({ db, caller, events }: Pick<ApiContext, 'db' | 'caller' | 'events'>) {
  requireMember(caller)
  return inTransaction(db, async tx => {
    const account = await lockUser(tx, caller.id)
    if (!account) throw organizationError('unknown')
    if (account.held_quota !== 0 || account.quota > 0) throw organizationError('has_money')
    await updateUser(tx, account.id, { deleted_at: nowSeconds() })
    await events.userDeleted(tx, account.id)
  })
}

export async function joinOrganization(
  secret: string,
  { db, caller, secrets, willChange }: Pick<ApiContext, 'db' | 'caller' | 'secrets' | 'willChange'>,
): Promise<OrganizationSummary> {
  const hash = hashInvitation(secret, secrets)
  await willChange([(await getInvited(db, secret, secrets)).id])
  return inTransaction(db, async tx => {
    const invited = await getInvited(tx, secret, secrets)
    const organizationId = invited.organization_id
    await lockUser(tx, organizationId)
    if (await findMembership(tx, organizationId, caller.id)) throw organizationError('already_member')
    if (!(await claimInvitation(tx, hash, { userId: caller.id, now: nowSeconds() })))
      throw organizationError('invitation_unknown')
    const { display_name: name, role, status } = invited
    return { id: organizationId, name, role, is_enabled: status === 1 }
  })
}

export async function getInvited(db: Database, secret: string, secrets: ApiContext['secrets']) {
  const invited = await findInvited(db, hashInvitation(secret, secrets), nowSeconds())
  if (!invited) throw organizationError('invitation_unknown')
  return invited
}

/** Ends a membership, unless it is that of the last owner. */
export function endMembership(
  memberId: number,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
  check: (role: Organization['role']) => void = () => undefined,
): Promise<void> {
  requireMember(caller)
  return inTransaction(db, async tx => {
    await lockUser(tx, caller.id)
    const member = await lockMember(tx, { organizationId: caller.id, id: memberId })
    if (!member) throw organizationError('unknown_member')
    check(member.role)
    await requireOtherOwner(tx, member)
    await endMembers(tx, { id: memberId }, nowSeconds())
  })
}

/** A person leaves all organisations with the account; an organisation that is deleted loses all members. */
export async function endMembershipsOf(tx: Database, userId: number): Promise<void> {
  await endMembers(tx, { organization_id: userId }, nowSeconds())
  for (const { organization_id, member_id, role, display_name } of await listMemberships(tx, userId)) {
    await lockUser(tx, organization_id)
    const error = organizationError('last_owner_of', { name: display_name })
    await requireOtherOwner(tx, { organization_id, role, status: 'active' }, error)
    await endMembers(tx, { id: member_id }, nowSeconds())
  }
}

/** For administrators: makes a person an owner, whether a member or not. */
export async function appointOwner(
  organizationId: number,
  userId: number,
  { db, willChange }: Pick<ApiContext, 'db' | 'willChange'>,
): Promise<{ readonly id: number }> {
  const former = await findMembership(db, organizationId, userId)
  if (former) await willChange([former.id])
  return inTransaction(db, async tx => {
    const account = await lockUser(tx, organizationId)
    if (account?.kind !== 'organization' || account.deleted_at !== null) throw organizationError('unknown')
    const person = await findUser(tx, userId)
    if (person?.kind !== 'person') throw organizationError('unknown_user')
    const membership = await findMembership(tx, organizationId, userId)
    if (!membership) return { id: await insertOwner(tx, organizationId, person) }
    await updateMemberRow(tx, membership.id, { role: 'owner' })
    return { id: membership.id }
  })
}

function insertOwner(
  tx: Database,
  organizationId: number,
  { id, username, display_name }: Pick<UserRow, 'id' | 'username' | 'display_name'>,
): Promise<number> {
  const now = nowSeconds()
  return insertMember(tx, {
    organization_id: organizationId,
    user_id: id,
    name: display_name || username,
    email: '',
    role: 'owner',
    status: 'active',
    invitation_hash: null,
    invited_until: 0,
    created_at: now,
    joined_at: now,
  })
}
