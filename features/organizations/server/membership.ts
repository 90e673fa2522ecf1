import type { AnyEndpoint } from '#contract/endpoint.ts'
import { ORGANIZATION_ROLES, type OrganizationRole, USER_STATUS } from '#contract/enums.ts'
import type { ApiCaller } from '#server/api/context.ts'
import { apiErrors } from '#server/core/api-error.ts'
import type { PrincipalRow } from '#server/db/accounts/users.ts'

export const ORGANIZATION_HEADER = 'x-tollgate-organization'
const FORBIDDEN = 403
const ID = /^[1-9]\d{0,14}$/

const membershipError = apiErrors(
  'membership',
  {
    not_served: { zh: '此操作不能以组织身份进行', en: 'this cannot be done for an organisation' },
    none: { zh: '您不是该组织的成员', en: 'you are not a member of this organisation' },
    disabled: { zh: '该组织已被禁用', en: 'the organisation is disabled' },
    role_too_low: { zh: '您在组织中的角色权限不足', en: 'your role in the organisation is too low' },
  },
  FORBIDDEN,
)

/** What a person is in an organisation, as it is now. */
export interface Membership {
  readonly id: number
  readonly role: OrganizationRole
  readonly organization: PrincipalRow
}

/** Undefined unless the user is a member. */
export type FindMembership = (organizationId: number, userId: number) => Promise<Membership | undefined>

interface ActingCall {
  readonly headers: Headers
  readonly endpoint: Pick<AnyEndpoint, 'role' | 'organization'>
}

/**
 * The caller of a request that may name an organisation: it is the organisation then, with the role of an ordinary user. An
 * endpoint that does not say which members may call it serves no organisation; a public one takes no notice. Throws an API
 * error of the area `membership`.
 */
export async function actForOrganization(
  person: ApiCaller,
  { headers, endpoint }: ActingCall,
  find: FindMembership,
): Promise<ApiCaller> {
  const named = headers.get(ORGANIZATION_HEADER)?.trim() ?? ''
  if (named === '' || endpoint.role === 'visitor') return person
  const membership = ID.test(named) ? await find(Number(named), person.id) : undefined
  if (!membership) throw membershipError('none')
  const { id, role, organization } = membership
  if (organization.status !== USER_STATUS.enabled) throw membershipError('disabled')
  if (endpoint.organization === undefined) throw membershipError('not_served')
  if (!hasRole(role, endpoint.organization)) throw membershipError('role_too_low')
  const { username, accessToken } = person
  return {
    id: organization.id,
    username: organization.username,
    role: organization.role,
    group: organization.group,
    ...(accessToken && { accessToken }),
    member: { id, role, seesAll: hasRole(role, 'admin'), userId: person.id, username },
  }
}

export const hasRole = (role: OrganizationRole, least: OrganizationRole): boolean =>
  ORGANIZATION_ROLES.indexOf(role) >= ORGANIZATION_ROLES.indexOf(least)
