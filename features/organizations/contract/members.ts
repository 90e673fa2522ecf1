import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import { COST, endpoint, IdParams, PagesFromOne, pageOf } from '#contract/endpoint.ts'
import { QueryText, QuotaUnits } from '#contract/fields.ts'
import {
  ACTING,
  BASE,
  MEMBER,
  MEMBER_STATUSES,
  NAME_LENGTH_MAX,
  Name,
  NewKey,
  Role,
  role,
  TokenName,
  usage,
} from './fields.ts'

export const MEMBERS_MAX = 10_000

export const ADDED_AT_ONCE_MAX = 100

export const INVITATION_DAYS = 14

const EMAIL_LENGTH_MAX = 200

export const Member = z
  .object({
    id: z.number().meta({ description: 'Id of the membership.', example: 31 }),
    user_id: z.number().meta({ description: 'The account of the person; 0 before they join.', example: 7 }),
    username: z.string().meta({ description: 'Its name; empty before they join.', example: 'alice' }),
    name: z.string().meta({ description: 'Name within the organisation.', example: 'Alice' }),
    email: z.string().meta({ description: 'Where the invitation was sent; may be empty.', example: '' }),
    role: Role,
    status: z.enum(MEMBER_STATUSES).meta({
      description: '`invited`: may join, and may have tokens. `ended`: has left or was removed.',
      example: 'active',
    }),
    invited_time: z.number().meta({
      description: 'Unix seconds until which the invitation can be used; 0: there is none.',
      example: 0,
    }),
    joined_time: z.number().meta({ description: 'Unix seconds; 0: not yet.', example: 1_764_000_000 }),
    ...usage,
  })
  .meta({ id: 'Member', description: 'A member of an organisation, or a person who is invited.' })
export type Member = z.infer<typeof Member>

const Invitation = z
  .object({
    id: z.number().meta({ description: 'Id of the membership.', example: 31 }),
    name: z.string().meta({ description: 'Name.', example: 'Alice' }),
    invitation: z.string().meta({
      description: 'Secret of the invitation, shown once: `/join?invitation=…` is the link.',
      example: 'f3Jq…',
    }),
    token: NewKey.nullable().meta({ description: 'The new token; null without one.' }),
  })
  .meta({ id: 'MemberInvitation', description: 'A person who is invited.' })
export type Invitation = z.infer<typeof Invitation>

export const listMembers = endpoint({
  method: 'GET',
  path: `${BASE}/members`,
  role,
  organization: 'admin',
  cost: COST.statistics,
  summary: 'List the members',
  description: `${ACTING} With what each has used this month; by name.`,
  query: PagesFromOne.extend({
    keyword: QueryText.meta({ description: 'Part of the name or address. Empty: any.', example: 'smith' }),
    status: z
      .enum(['', ...MEMBER_STATUSES])
      .catch('')
      .default('')
      .meta({ description: 'Empty: those that have not ended.', example: '' }),
  }),
  reply: pageOf(Member),
})

export const addMembers = endpoint({
  method: 'POST',
  path: `${BASE}/members`,
  role,
  organization: 'admin',
  changes: MEMBER,
  cost: COST.export,
  summary: 'Invite people',
  description: `${ACTING} All of them or none. Each may have a token before they join, or without ever joining. Only owners invite owners.`,
  body: z.object({
    people: z
      .array(
        z.object({
          name: Name.meta({ description: `Name, 1 to ${NAME_LENGTH_MAX} characters.`, example: 'Alice' }),
          email: z
            .union([z.literal(''), z.email().max(EMAIL_LENGTH_MAX)])
            .default('')
            .meta({ description: 'Where the invitation is mailed; empty: nowhere.', example: '' }),
        }),
      )
      .min(1)
      .max(ADDED_AT_ONCE_MAX)
      .meta({ description: `1 to ${ADDED_AT_ONCE_MAX} people.`, example: [{ name: 'Alice', email: '' }] }),
    role: Role.default('member'),
    monthly_quota: QuotaUnits.default(0).meta({
      description: 'What each may use in a calendar month, in quota units; 0: no limit.',
      example: 5_000_000,
    }),
    has_token: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether each gets a token at once.', example: true }),
  }),
  reply: z.array(Invitation),
})

export const updateMember = endpoint({
  method: 'PUT',
  path: `${BASE}/members/:id`,
  role,
  organization: 'admin',
  changes: MEMBER,
  summary: 'Change a member',
  description: `${ACTING} Only owners change owners. The last owner stays one.`,
  params: IdParams,
  body: z.object({
    name: Name.optional().meta({ description: 'Name within the organisation.', example: 'Alice' }),
    role: Role.optional(),
  }),
})

export const removeMember = endpoint({
  method: 'DELETE',
  path: `${BASE}/members/:id`,
  role,
  organization: 'admin',
  changes: MEMBER,
  summary: 'Remove a member',
  description: `${ACTING} Their tokens are disabled: requests in progress complete, the next one is rejected.`,
  params: IdParams,
})

export const replaceInvitation = endpoint({
  method: 'POST',
  path: `${BASE}/members/:id/invitation`,
  role,
  organization: 'admin',
  changes: MEMBER,
  summary: 'Invite a person anew',
  description: `${ACTING} The former invitation is no longer valid. The new one is valid for ${INVITATION_DAYS} days.`,
  params: IdParams,
  reply: Invitation,
})

export const createMemberToken = endpoint({
  method: 'POST',
  path: `${BASE}/members/:id/token`,
  role,
  organization: 'admin',
  changes: RECORDS.token,
  summary: 'Create a token for a member',
  description: ACTING,
  params: IdParams,
  body: z.object({ name: TokenName }),
  reply: NewKey,
})
