import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import { endpoint, IdParams, ownRow } from '#contract/endpoint.ts'
import { DISPLAY_NAME_LENGTH_MAX } from '#contract/entities/user-fields.ts'
import { ACTING, BASE, MEMBER, Role, role } from './fields.ts'

export const OWN_ORGANIZATIONS_MAX = 20

const SECRET_LENGTH_MAX = 64

const OrganizationName = z
  .string()
  .trim()
  .min(1)
  .max(DISPLAY_NAME_LENGTH_MAX)
  .meta({
    description: `Name, 1 to ${DISPLAY_NAME_LENGTH_MAX} characters.`,
    example: 'Acme Research',
  })

export const OrganizationSummary = z
  .object({
    id: z.number().meta({
      description: 'Id of its account, which the header `X-Tollgate-Organization` names.',
      example: 12,
    }),
    name: z.string().meta({ description: 'Name.', example: 'Acme Research' }),
    role: Role,
    is_enabled: z.boolean().meta({ description: 'False: an administrator has disabled it.', example: true }),
  })
  .meta({ id: 'OrganizationSummary', description: 'An organisation of which you are a member.' })
export type OrganizationSummary = z.infer<typeof OrganizationSummary>

export const Organization = OrganizationSummary.extend({
  group: z.string().meta({ description: 'Group, which determines prices and channels.', example: 'default' }),
  member_id: z.number().meta({ description: 'Id of your membership.', example: 31 }),
  members: z.number().meta({ description: 'Members and those invited.', example: 5 }),
  quota: z
    .number()
    .nullable()
    .meta({ description: 'Balance in quota units; null for those who see no money.', example: 5_000_000 }),
  used_quota: z
    .number()
    .nullable()
    .meta({ description: 'Quota units spent so far; null likewise.', example: 120_000 }),
}).meta({ id: 'Organization', description: 'The organisation for which you call.' })
export type Organization = z.infer<typeof Organization>

const Secret = z
  .string()
  .trim()
  .min(1)
  .max(SECRET_LENGTH_MAX)
  .meta({ description: 'Secret of the invitation, from its link.', example: 'f3Jq…' })

export const listOwnOrganizations = endpoint({
  method: 'GET',
  path: `${BASE}/self`,
  role,
  summary: 'List your organisations',
  reply: z.object({
    items: z.array(OrganizationSummary).meta({ description: 'By name.' }),
    may_create: z.boolean().meta({ description: 'Whether you may create another one.', example: true }),
  }),
})

export const createOrganization = endpoint({
  method: 'POST',
  path: `${BASE}/`,
  role,
  changes: RECORDS.user,
  summary: 'Create an organisation',
  description: 'You become its owner. `OrganizationCreators` says who may.',
  body: z.object({ name: OrganizationName }),
  reply: OrganizationSummary,
})

export const readInvitation = endpoint({
  method: 'POST',
  path: `${BASE}/invitation`,
  role,
  isCritical: true,
  audit: 'none',
  summary: 'Read an invitation',
  body: z.object({ invitation: Secret }),
  reply: z.object({
    organization: z.string().meta({ description: 'Name of the organisation.', example: 'Acme Research' }),
    role: Role,
  }),
})

export const joinOrganization = endpoint({
  method: 'POST',
  path: `${BASE}/join`,
  role,
  isCritical: true,
  changes: MEMBER,
  summary: 'Join an organisation',
  description: 'An invitation is used once.',
  body: z.object({ invitation: Secret }),
  reply: OrganizationSummary,
})

export const getOrganization = endpoint({
  method: 'GET',
  path: `${BASE}/`,
  role,
  organization: 'member',
  summary: 'Get the organisation for which you call',
  description: ACTING,
  reply: Organization,
})

export const renameOrganization = endpoint({
  method: 'PUT',
  path: `${BASE}/`,
  role,
  organization: 'admin',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Rename the organisation',
  description: ACTING,
  body: z.object({ name: OrganizationName }),
})

export const deleteOrganization = endpoint({
  method: 'DELETE',
  path: `${BASE}/`,
  role,
  organization: 'owner',
  needs: 'recent-sign-in',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Delete the organisation',
  description: `${ACTING} Its balance must be used up or taken back, and nothing in progress. Its members and tokens end. Cannot be undone.`,
})

export const leaveOrganization = endpoint({
  method: 'POST',
  path: `${BASE}/leave`,
  role,
  organization: 'member',
  changes: MEMBER,
  summary: 'Leave the organisation',
  description: `${ACTING} Your tokens in it are disabled. The last owner cannot leave.`,
})

export const appointOwner = endpoint({
  method: 'POST',
  path: `${BASE}/:id/owner`,
  role: 'admin',
  changes: MEMBER,
  changedRows: () => ({}),
  summary: 'Make a user an owner of an organisation',
  description: 'For administrators, when an organisation has lost its owners.',
  params: IdParams,
  body: z.object({
    user_id: z.number().int().positive().meta({ description: 'Id of the user.', example: 7 }),
  }),
  reply: z.object({ id: z.number().meta({ description: 'Id of the membership.', example: 31 }) }),
})
