import { z } from 'zod'
import { RECORDS } from '../audited-records.ts'
import {
  COST,
  endpoint,
  IdParams,
  Ids,
  ListMeta,
  RowOutcome,
  TokenPages,
  TokenSearchPages,
} from '../endpoint.ts'
import { numberField, QueryNumber, QueryText, QuotaUnits, SignedQuota, textField } from '../fields.ts'
import { changesOf, viewOf } from './stored.ts'
import { TokenFields } from './token-fields.ts'

export const TOKEN_QUOTA_DEFAULT = 500_000
export const TOKEN_SORTS = [
  'id',
  'name',
  'used_quota',
  'remain_quota',
  'created_time',
  'accessed_time',
  'expired_time',
] as const

export const Token = z
  .object({
    id: numberField('Token id.', 3),
    user_id: numberField('Id of the owner.', 7),
    key: textField(
      'The key, 48 letters and digits, without the prefix `sk-`. Only its ends, with asterisks between them, unless the token was just created or the session signed in or reauthenticated within the last ten minutes.',
      'Qk3vT8nXw1Lr6YbZ0sPd4Fm9Ha2Jc7Gu5EoBiNtKqRxVyWzM',
    ),
    status: numberField('1: enabled, 2: disabled, 3: expired, 4: exhausted.', 1),
    ...viewOf(TokenFields),
    created_time: numberField('Unix seconds of the creation.', 1_750_000_000),
    accessed_time: numberField('Unix seconds of the last use.', 1_760_000_000),
    remain_quota: numberField('Quota units left. Without meaning when `unlimited_quota` is true.', 500_000),
    used_quota: numberField('Quota units spent so far.', 310_000),
    DeletedAt: z
      .string()
      .nullable()
      .meta({ description: 'When it was deleted (RFC 3339); null: it exists.', example: null }),
  })
  .meta({ id: 'Token', description: 'An API key of a user, with its limits.' })
export type Token = z.infer<typeof Token>

export const TokenDraft = TokenFields.extend({
  remain_quota: QuotaUnits.default(0).meta({
    description: 'Quota units that may be spent. Ignored when `unlimited_quota` is true.',
    example: 500_000,
  }),
})
export type TokenDraft = z.infer<typeof TokenDraft>

/** Absent fields stay unchanged. */
export const TokenChange = z.object({
  ...changesOf(TokenFields),
  id: z.number().int().positive().meta({ description: 'Token id.', example: 3 }),
  status: z
    .union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)])
    .optional()
    .meta({
      description: '1: enable, 2: disable. Read only with `status_only`, which rejects 3 and 4.',
      example: 1,
    }),
  remain_quota: SignedQuota.optional().meta({
    description: 'Quota units left. Negative only when the stored value is sent back unchanged.',
    example: 500_000,
  }),
  remain_quota_seen: SignedQuota.optional().meta({
    description: 'The `remain_quota` that you saw. The difference is posted, so concurrent spending is kept.',
    example: 430_000,
  }),
})
export type TokenChange = z.infer<typeof TokenChange>

const Filters = {
  status: QueryNumber.meta({
    description: '1: enabled, 2: disabled, 3: expired, 4: exhausted. 0: any.',
    example: 0,
  }),
  group: QueryText.meta({ description: 'Exact group. Empty: any.', example: '' }),
  sort: z.enum(TOKEN_SORTS).catch('id').meta({ description: 'Field to sort by.', example: 'id' }),
  order: z.enum(['asc', 'desc']).catch('desc').meta({ description: 'Sort direction.', example: 'desc' }),
}

export const listTokens = endpoint({
  method: 'GET',
  path: '/api/token/',
  role: 'user',
  organization: 'member',
  summary: 'List your tokens',
  query: TokenPages.extend(Filters),
  reply: z.array(Token),
  meta: ListMeta,
})

export const searchTokens = endpoint({
  method: 'GET',
  path: '/api/token/search',
  role: 'user',
  organization: 'member',
  cost: COST.search,
  summary: 'Search your tokens',
  query: TokenSearchPages.extend(Filters).extend({
    keyword: QueryText.meta({ description: 'Part of the name. Empty: any.', example: 'prod' }),
    token: QueryText.meta({
      description:
        'Part of the key; without a recent sign-in the whole key, or up to four characters of either end. Empty: any.',
      example: '',
    }),
  }),
  reply: z.array(Token),
  meta: ListMeta,
})

export const getToken = endpoint({
  method: 'GET',
  path: '/api/token/:id',
  role: 'user',
  organization: 'member',
  summary: 'Get one of your tokens',
  params: IdParams,
  reply: Token,
})

export const createToken = endpoint({
  method: 'POST',
  path: '/api/token/',
  role: 'user',
  organization: 'member',
  changes: RECORDS.token,
  summary: 'Create a token',
  body: TokenDraft,
  reply: Token,
})

export const revealTokenKeys = endpoint({
  method: 'POST',
  path: '/api/token/keys',
  role: 'user',
  organization: 'member',
  changes: RECORDS.token,
  summary: 'Get the keys of your tokens',
  needs: 'recent-sign-in',
  description: 'Unknown tokens are left out.',
  body: z.object({ ids: Ids }),
  reply: z.array(
    z.object({
      id: numberField('Token id.', 3),
      key: textField('The key without the prefix `sk-`.', 'Qk3vT8nXw1Lr6YbZ0sPd4Fm9Ha2Jc7Gu5EoBiNtKqRxVyWzM'),
    }),
  ),
})

export const updateToken = endpoint({
  method: 'PUT',
  path: '/api/token/',
  role: 'user',
  organization: 'member',
  changes: RECORDS.token,
  summary: 'Update one of your tokens',
  description: 'Absent fields stay unchanged. The status changes only with `status_only`.',
  query: z.object({
    status_only: z
      .string()
      .optional()
      .meta({ description: 'Any non-empty value: changes only the status.', example: 'true' }),
  }),
  body: TokenChange,
  reply: Token,
})

export const deleteToken = endpoint({
  method: 'DELETE',
  path: '/api/token/:id',
  role: 'user',
  organization: 'member',
  changes: RECORDS.token,
  summary: 'Delete one of your tokens',
  description: 'Cannot be undone.',
  params: IdParams,
})

export const updateTokensBatch = endpoint({
  method: 'PUT',
  path: '/api/token/batch',
  role: 'user',
  organization: 'member',
  changes: RECORDS.token,
  summary: 'Enable or disable several of your tokens',
  body: z.object({
    ids: Ids,
    status: z.union([z.literal(1), z.literal(2)]).meta({ description: '1: enable, 2: disable.', example: 2 }),
  }),
  reply: z.array(RowOutcome),
})

export const deleteTokens = endpoint({
  method: 'POST',
  path: '/api/token/batch',
  role: 'user',
  organization: 'member',
  changes: RECORDS.token,
  summary: 'Delete several of your tokens',
  description: 'Cannot be undone.',
  body: z.object({ ids: Ids }),
  reply: z.array(RowOutcome),
})
