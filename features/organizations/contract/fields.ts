import { z } from 'zod'
import { auditedRecord } from '#contract/audited-records.ts'
import { ORGANIZATION_ROLES } from '#contract/enums.ts'

export const NAME_LENGTH_MAX = 40

export const MEMBER_STATUSES = ['invited', 'active', 'ended'] as const

export const Name = z.string().trim().min(1).max(NAME_LENGTH_MAX)

export const Role = z.enum(ORGANIZATION_ROLES).meta({
  description:
    '`member`: own tokens and logs. `billing`: money and usage of all, too. `admin`: all tokens, logs, members and projects, too. `owner`: owners, and the end of the organisation, too.',
  example: 'member',
})

export const usage = {
  tokens: z.number().meta({ description: 'Tokens (API keys) that are not deleted.', example: 2 }),
  used_quota: z
    .number()
    .meta({ description: 'Quota units spent since the first of the month, in UTC.', example: 120_000 }),
}

export const NewKey = z
  .object({
    id: z.number().meta({ description: 'Id of the token.', example: 3 }),
    name: z.string().meta({ description: 'Name of the token.', example: 'Alice' }),
    key: z.string().meta({
      description: 'The key without the prefix `sk-`.',
      example: 'Qk3vT8nXw1Lr6YbZ0sPd4Fm9Ha2Jc7Gu5EoBiNtKqRxVyWzM',
    }),
  })
  .meta({ id: 'OrganizationKey', description: 'A token of a member or a project, with its key.' })
export type NewKey = z.infer<typeof NewKey>

export const role = 'user'

export const BASE = '/api/organization'

export const ACTING = 'The header `X-Tollgate-Organization` names the organisation.'

export const TokenName = z
  .string()
  .trim()
  .min(1)
  .max(30)
  .meta({ description: 'Name of the token, 1 to 30 characters.', example: 'laptop' })

export const MEMBER = auditedRecord('organization-member', 'organization_members', {
  columns: ['name', 'email', 'role', 'status', 'user_id'],
  secrets: ['invitation_hash'],
  createdAt: 'created_at',
})
