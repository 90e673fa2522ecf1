import type { OrganizationRole } from '#contract/enums.ts'
import type { ApiCaller, ApiMember } from '#server/api/context.ts'
import { organizationError } from './errors.ts'
import { countOwners, type MemberRow } from './queries/members.ts'

/** The member who calls. Throws unless the request names an organisation. */
export function requireMember({ member }: ApiCaller): ApiMember {
  if (!member) throw organizationError('not_named')
  return member
}

/** Throws unless the caller may give this role, or change or remove who has it. */
export function requireMayManage(role: OrganizationRole, caller: ApiCaller): void {
  if (role === 'owner' && requireMember(caller).role !== 'owner') throw organizationError('only_owners')
}

/** Throws when the organisation would lose its only owner. The row of the organisation is locked. */
export async function requireOtherOwner(
  tx: Parameters<typeof countOwners>[0],
  { role, status, organization_id }: Pick<MemberRow, 'role' | 'status' | 'organization_id'>,
  error = organizationError('last_owner'),
): Promise<void> {
  if (role === 'owner' && status === 'active' && (await countOwners(tx, organization_id)) === 1) throw error
}
