import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import {
  COST,
  ConfirmedCount,
  endpoint,
  IdParams,
  Ids,
  MatchingResult,
  MORE_MATCH,
  PagesFromOne,
  pageOf,
  RowOutcome,
} from '#contract/endpoint.ts'
import { changesOf } from '#contract/entities/stored.ts'
import { Password, User } from '#contract/entities/user.ts'
import { UserFields } from '#contract/entities/user-fields.ts'
import { USER_KINDS } from '#contract/enums.ts'
import { numberField, QueryNumber, QueryText, SignedQuota } from '#contract/fields.ts'
import { PRESENCE_DESCRIPTIONS } from '#contract/presence.ts'

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

const ROLE_NUMBER_MAX = 100

/** Selects deregistered users in the status filter; 1 and 2 match only accounts that still exist. */
export const DEREGISTERED = -1

/** Empty: both. */
export const UserKind = z
  .enum(['', ...USER_KINDS])
  .catch('')
  .default('')
  .meta({ description: '`person` or `organization`. Empty: both.', example: 'person' })

const UserListQuery = PagesFromOne.extend({
  role: QueryNumber.meta({ description: 'Role number: 1, 10 or 100. 0: any.', example: 0 }),
  status: QueryNumber.meta({
    description: '1: enabled, 2: banned, -1: deregistered. 0: any.',
    example: 0,
  }),
  kind: UserKind,
  sort: z.enum(['', 'quota', '-quota', 'used_quota', '-used_quota']).catch('').default('').meta({
    description: 'Sort order; a leading `-` means descending. Empty: newest first.',
    example: '-used_quota',
  }),
})

export const listUsers = endpoint({
  method: 'GET',
  path: '/api/user/',
  role,
  summary: 'List users',
  description:
    'Users of a lower role and yourself, deregistered ones included. Super administrators see all users.',
  query: UserListQuery,
  reply: pageOf(User),
})

export const searchUsers = endpoint({
  method: 'GET',
  path: '/api/user/search',
  role,
  cost: COST.search,
  summary: 'Search users',
  query: UserListQuery.extend({
    keyword: QueryText.meta({
      description: 'User id, or part of the user name, display name or email address.',
      example: 'alice',
    }),
    group: QueryText.meta({ description: 'Exact group. Empty: any.', example: 'default' }),
  }),
  reply: pageOf(User),
})

export const UserDraft = z.object({
  username: UserFields.shape.username,
  password: Password.meta({
    format: 'password',
    description: 'Password of 8 to 20 characters.',
    example: 'correct-horse',
  }),
  display_name: UserFields.shape.display_name.meta({
    description: 'Name shown in the console. Empty: the user name.',
    example: 'Bob',
  }),
  role: z.number().int().min(0).max(ROLE_NUMBER_MAX).optional().meta({
    description: 'Must be lower than your own role. The user is created with role 1 in any case.',
    example: 1,
  }),
})
export type UserDraft = z.infer<typeof UserDraft>

export const createUser = endpoint({
  method: 'POST',
  path: '/api/user/',
  role,
  changes: RECORDS.user,
  summary: 'Create a user',
  body: UserDraft,
  reply: User,
})

export const UserChange = z.object({
  ...changesOf(UserFields),
  id: z.number().int().positive().meta({ description: 'User id.', example: 7 }),
  username: z
    .union([z.literal(''), UserFields.shape.username])
    .optional()
    .meta({ description: 'New user name.', example: 'bob' }),
  password: z
    .union([z.literal(''), Password])
    .optional()
    .meta({
      format: 'password',
      description: 'New password. Ends all sessions and the access token of the user.',
      example: 'correct-horse',
    }),
  role: z.number().int().min(0).max(ROLE_NUMBER_MAX).optional().meta({
    description: 'Must be lower than your own role. Use the manage endpoint to change the role.',
    example: 1,
  }),
  quota: SignedQuota.optional().meta({
    description: 'New balance in quota units. Negative only when the stored balance is sent back unchanged.',
    example: 1_000_000,
  }),
  quota_seen: SignedQuota.optional().meta({
    description:
      'The balance that you saw, in quota units. The difference is posted, so concurrent spending is kept.',
    example: 1_250_000,
  }),
  reason: z.string().trim().max(REASON_LENGTH_MAX).optional().meta({
    description: 'Why the balance changes; recorded in the ledger.',
    example: 'refund of invoice 42',
  }),
})
export type UserChange = z.infer<typeof UserChange>

export const updateUser = endpoint({
  method: 'PUT',
  path: '/api/user/',
  role,
  changes: RECORDS.user,
  summary: 'Update a user of a lower role',
  description: `Fields that are absent or empty stay unchanged. A new balance is recorded as an adjustment in the ledger. A new password, and a new name of your own, are guarded. ${PRESENCE_DESCRIPTIONS['recent-session']} An access token does not change your own.`,
  body: UserChange,
  needsFor({ body: { id, password, username }, callerId }) {
    if (id === callerId && (password || username)) return 'recent-sign-in'
    return password ? 'recent-session' : undefined
  },
  reply: User,
})

export const UserAction = z.enum(['promote', 'demote', 'disable', 'enable', 'delete'])
export type UserAction = z.infer<typeof UserAction>

export const UserState = z
  .object({
    id: numberField('User id.', 7),
    role: numberField('Role number after the change.', 1),
    status: numberField('1: enabled, 2: banned.', 1),
    DeletedAt: z.string().nullable().meta({
      description: 'When the account was deregistered (RFC 3339); null: it exists.',
      example: null,
    }),
  })
  .meta({ id: 'UserState', description: 'Role and status of a user after a change.' })

export const manageUser = endpoint({
  method: 'POST',
  path: '/api/user/manage',
  role,
  changes: RECORDS.user,
  summary: 'Change the role or status of a user of a lower role',
  description: `A promotion is guarded. ${PRESENCE_DESCRIPTIONS['recent-session']}`,
  body: z.object({
    id: z.number().int().positive().meta({ description: 'User id.', example: 7 }),
    action: UserAction.meta({
      description: 'Promote to administrator, demote to user, disable (ban), enable, or delete (deregister).',
      example: 'disable',
    }),
  }),
  reply: UserState,
  needsFor: ({ body: { action } }) => (action === 'promote' ? 'recent-session' : undefined),
})

export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/api/user/:id',
  role,
  changes: RECORDS.user,
  summary: 'Deregister a user of a lower role',
  description: 'Cannot be undone.',
  params: IdParams,
  reply: UserState,
})
