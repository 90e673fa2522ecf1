import { ROLE, type Role } from '#contract/enums.ts'
import type { ApiContext } from '#server/api/context.ts'
import type { ApiError } from '#server/core/api-error.ts'
import type { Database } from '#server/db/engine/database.ts'
import { MAPPED_ROLES, type MembershipRule } from '../../contract/openid.ts'
import type { ProviderIdentity } from '../identity-providers.ts'
import type { Claims } from './client.ts'
import { openIdError } from './errors.ts'
import type { OpenIdProvider } from './provider.ts'

const GROUPS_MAX = 1000
const DEFAULT_GROUP = 'default'

/** The groups that a claim lists. A dot in the claim's name reads within an object; names may hold dots themselves. */
export function groupsOf(claims: Claims, claim: string): readonly string[] {
  const value = claim in claims ? claims[claim] : claim.split('.').reduce<unknown>(memberOf, claims)
  const list = Array.isArray(value) ? value : [value]
  return list.filter(group => typeof group === 'string' && group !== '').slice(0, GROUPS_MAX)
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined

/** Some providers write booleans as texts. */
const isTrue = (value: unknown): boolean => value === true || value === 'true'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The address that the provider has verified, in lower case; empty for none. */
const verifiedEmail = ({ email, email_verified }: Claims): string =>
  isTrue(email_verified) ? textOf(email).trim().toLowerCase() : ''

/** The subject is `sub`, or another claim that the provider never reassigns, such as `oid`; empty: there is none. */
export function toIdentity(
  { subject_claim }: Pick<OpenIdProvider, 'subject_claim'>,
  claims: Claims,
): ProviderIdentity {
  const login = textOf(claims.preferred_username) || textOf(claims.email)
  return {
    id: textOf(claims[subject_claim]),
    login: login.split('@')[0] ?? '',
    name: textOf(claims.name) || login,
    email: verifiedEmail(claims),
  }
}

/** Why a person may not sign in by the rules of the provider; undefined: they may. */
export function findAccessProblem(
  provider: OpenIdProvider,
  claims: Claims,
  provisioned: readonly string[],
): ApiError | undefined {
  const { domains, required_groups, groups_claim, name } = provider
  const [, domain = ''] = verifiedEmail(claims).split('@')
  if (domains.length > 0 && !domains.some(allowed => allowed.toLowerCase() === domain))
    return openIdError('domain', { provider: name })
  const groups = new Set([...groupsOf(claims, groups_claim), ...provisioned])
  if (required_groups.length > 0 && !required_groups.some(group => groups.has(group)))
    return openIdError('groups', { provider: name })
  return undefined
}

export interface MappedAccess {
  readonly role: Extract<Role, 'user' | 'admin'>
  readonly group: string
}

/** Role and user group by the rules; undefined without rules. Whom no rule names is an ordinary user. */
export function mapGroups({ rules }: OpenIdProvider, groups: readonly string[]): MappedAccess | undefined {
  if (rules.length === 0) return undefined
  const rule = rules.find(({ value }) => groups.includes(value))
  return { role: rule?.role ?? 'user', group: rule?.group || DEFAULT_GROUP }
}

/** The groups of a sign-in and those that SCIM has brought. */
export const allGroups = (
  { groups_claim }: OpenIdProvider,
  claims: Claims,
  provisioned: readonly string[],
): readonly string[] => [...groupsOf(claims, groups_claim), ...provisioned]

/** Tells the organisations who is a member by the rules of the provider. */
export const followMemberships = (
  tx: Database,
  { provider, ...user }: MembershipSource,
  { events, requestId }: Pick<ApiContext, 'events' | 'requestId'>,
): Promise<void> => {
  const { slug, name } = provider
  const roles = mapMemberships(provider, user.groups)
  return events.membershipsMapped(tx, {
    source: slug,
    sourceName: name,
    userId: user.userId,
    roles,
    requestId,
  })
}

interface MembershipSource {
  readonly provider: OpenIdProvider
  readonly userId: number
  readonly groups: readonly string[]
}

function mapMemberships({ memberships }: OpenIdProvider, groups: readonly string[]) {
  const matching = memberships.filter(({ value }) => groups.includes(value))
  const byRank = matching.toSorted((one, other) => rankOf(one) - rankOf(other))
  return new Map(byRank.map(({ organization_id, role }) => [organization_id, role]))
}

const rankOf = ({ role }: MembershipRule): number => MAPPED_ROLES.indexOf(role)

export const toUserColumns = ({ role, group }: MappedAccess) => ({ role: ROLE[role], group })
