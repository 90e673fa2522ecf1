import { LOG_TYPE } from '#contract/enums.ts'
import type { MappedMemberships } from '#server/api/events.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { BothLanguages } from '#server/core/language.ts'
import { findUser, lockUser, type UserRow } from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'
import { insertEventLog } from '#server/db/logs/log-writes.ts'
import { MEMBERS_MAX } from '../contract/members.ts'
import {
  countMembers,
  endMembers,
  findFormerMember,
  insertMember,
  listMappedOrganizations,
  lockMemberOf,
  updateMemberRow,
} from './queries/members.ts'

/**
 * Begins, changes and ends memberships as an identity provider says. What people have arranged by hand stays: memberships that
 * the provider has not begun, and owners. An organisation that is full takes nobody; the sign-in goes on.
 */
export async function followProvider(tx: Database, mapped: MappedMemberships): Promise<void> {
  const { userId, source, roles } = mapped
  const organizations = new Set([...roles.keys(), ...(await listMappedOrganizations(tx, userId, source))])
  if (organizations.size === 0) return
  const person = await findUser(tx, userId)
  if (person?.kind !== 'person') return
  // In one order, so that no two wait for each other.
  for (const id of [...organizations].sort((one, other) => one - other)) {
    const account = await lockUser(tx, id)
    if (account?.kind === 'organization' && account.deleted_at === null)
      await followIn(tx, account, { person, mapped })
  }
}

interface MappedPerson {
  readonly person: UserRow
  readonly mapped: MappedMemberships
}

async function followIn(
  tx: Database,
  organization: UserRow,
  { person, mapped }: MappedPerson,
): Promise<void> {
  const role = mapped.roles.get(organization.id)
  const member = await lockMemberOf(tx, organization.id, person.id)
  if (member && (member.source !== mapped.source || member.role === 'owner' || member.role === role)) return
  const { sourceName, requestId } = mapped
  const name = organization.display_name
  const log = (content: BothLanguages) =>
    insertEventLog(tx, {
      type: LOG_TYPE.management,
      userId: person.id,
      username: person.username,
      content,
      requestId,
    })
  if (role === undefined) {
    if (!member) return
    await endMembers(tx, { id: member.id }, nowSeconds())
    return log({
      zh: `${sourceName} 结束了在组织“${name}”的成员身份`,
      en: `${sourceName} ended the membership of the organisation ${name}`,
    })
  }
  if (member) await updateMemberRow(tx, member.id, { role })
  else if (!(await join(tx, organization.id, { person, mapped }))) return
  await log({
    zh: `${sourceName} 将在组织“${name}”的角色设为 ${role}`,
    en: `${sourceName} set the role in the organisation ${name} to ${role}`,
  })
}

/** Who comes back has the former place with its caps; the tokens stay disabled. False when the organisation is full. */
async function join(
  tx: Database,
  organizationId: number,
  { person, mapped: { source, roles } }: MappedPerson,
): Promise<boolean> {
  if ((await countMembers(tx, organizationId)) >= MEMBERS_MAX) return false
  const now = nowSeconds()
  const role = roles.get(organizationId) ?? 'member'
  const joined = { role, status: 'active', joined_at: now, ended_at: 0 } as const
  const former = await findFormerMember(tx, { organizationId, userId: person.id, source })
  if (former !== undefined) await updateMemberRow(tx, former, joined)
  else
    await insertMember(tx, {
      ...joined,
      organization_id: organizationId,
      user_id: person.id,
      name: person.display_name || person.username,
      email: '',
      invitation_hash: null,
      invited_until: 0,
      created_at: now,
      source,
    })
  return true
}
