import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import {
  COST,
  ConfirmedCount,
  endpoint,
  Ids,
  MatchingResult,
  MORE_MATCH,
  RowOutcome,
} from '#contract/endpoint.ts'
import { USER_KINDS } from '#contract/enums.ts'
import { QueryText, SignedQuota } from '#contract/fields.ts'

const role = 'admin'
const GROUP_LENGTH_MAX = 64
const REASON_LENGTH_MAX = 200

/** One change of many users. */
export const UsersChange = z
  .union([
    z.strictObject({
      group: z
        .string()
        .trim()
        .min(1)
        .max(GROUP_LENGTH_MAX)
        .meta({ description: 'Their new group.', example: 'vip' }),
    }),
    z.strictObject({
      status: z
        .union([z.literal(1), z.literal(2)])
        .meta({ description: '1: enable, 2: disable (ban), which signs them out.', example: 2 }),
    }),
    z.strictObject({
      add_quota: SignedQuota.refine(units => units !== 0).meta({
        description:
          'Quota units that are added to each balance; negative: taken away. No balance goes below zero.',
        example: 500_000,
      }),
      reason: z.string().trim().min(1).max(REASON_LENGTH_MAX).meta({
        description: 'Why; recorded in the ledger.',
        example: 'gift of the spring campaign',
      }),
    }),
  ])
  .meta({ description: 'Either `group`, or `status`, or `add_quota` with its `reason`.' })
export type UsersChange = z.infer<typeof UsersChange>

export const updateUsersBatch = endpoint({
  method: 'PUT',
  path: '/api/user/batch',
  role,
  changes: RECORDS.user,
  cost: COST.statistics,
  summary: 'Change several users of a lower role',
  body: z.object({ ids: Ids, change: UsersChange }),
  reply: z.array(RowOutcome),
})

export const updateMatchingUsers = endpoint({
  method: 'PUT',
  path: '/api/user/matching',
  role,
  conflict: MORE_MATCH,
  changes: RECORDS.user,
  cost: COST.statistics,
  summary: 'Change all users that match a filter',
  description:
    'Users of your own or a higher role, and those whose balance would go below zero, stay as they are. Deregistered users never match.',
  body: z.object({
    /** Strict, because a misspelled condition must not select more. */
    filter: z
      .strictObject({
        keyword: QueryText.meta({
          description: 'User id, or part of the user name, display name or email address. Empty: any.',
          example: 'alice',
        }),
        group: QueryText.meta({ description: 'Exact group. Empty: any.', example: 'default' }),
        kind: z
          .enum(['', ...USER_KINDS])
          .default('')
          .meta({ description: '`person` or `organization`. Empty: both.', example: 'person' }),
        role: z.number().int().min(0).default(0).meta({ description: 'Role number. 0: any.', example: 1 }),
        status: z
          .number()
          .int()
          .min(0)
          .max(2)
          .default(0)
          .meta({ description: '1: enabled, 2: banned. 0: any.', example: 1 }),
      })
      .meta({ description: 'Conditions that the users match, as in the search.' }),
    count: ConfirmedCount,
    change: UsersChange,
  }),
  reply: MatchingResult,
})
