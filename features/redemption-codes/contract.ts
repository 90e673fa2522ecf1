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
  ownRow,
  PagesFromOne,
  pageOf,
  RowOutcome,
} from '#contract/endpoint.ts'
import {
  localizedError,
  numberField,
  QUOTA_MAX,
  QueryNumber,
  QueryText,
  textField,
} from '#contract/fields.ts'

export const REDEMPTIONS_AT_ONCE_MAX = 100
export const REDEMPTION_NAME_LENGTH_MAX = 20
const CODE_LENGTH_MAX = 200

export const Redemption = z
  .object({
    id: numberField('Code id.', 5),
    user_id: numberField('Id of the administrator who created it.', 1),
    key: textField('The code to redeem, 32 hex digits.', '3f6c1e0a9b7d4c52a1e8f03d6b9c7e54'),
    status: numberField('1: unused, 2: disabled, 3: used.', 1),
    name: textField('Name.', 'spring campaign'),
    quota: numberField('Quota units that it credits.', 500_000),
    created_time: numberField('Unix seconds of the creation.', 1_760_000_000),
    redeemed_time: numberField('Unix seconds of the redemption; 0: unused.', 0),
    count: numberField('Always 0.', 0),
    used_user_id: numberField('Id of the user who redeemed it; 0: nobody.', 0),
    DeletedAt: z
      .string()
      .nullable()
      .meta({ description: 'When it was deleted (RFC 3339); null: it exists.', example: null }),
  })
  .meta({ id: 'Redemption', description: 'A redemption code.' })
export type Redemption = z.infer<typeof Redemption>

const role = 'admin'

const Name = z
  .string()
  .trim()
  .refine(
    name => [...name].length <= REDEMPTION_NAME_LENGTH_MAX,
    localizedError(
      `兑换码名称长度必须在1-${REDEMPTION_NAME_LENGTH_MAX}之间`,
      `a name has 1 to ${REDEMPTION_NAME_LENGTH_MAX} characters`,
    ),
  )

const RedemptionListQuery = PagesFromOne.extend({
  status: QueryNumber.meta({ description: '1: unused, 2: disabled, 3: used. 0: any.', example: 0 }),
})

const RedemptionPage = pageOf(Redemption).extend({
  unused_count: numberField('Unused codes on all pages.', 30),
  unused_quota: numberField('Their quota units in total.', 15_000_000),
})

const RedemptionQuota = z.number().int().min(1).max(QUOTA_MAX)

export const listRedemptions = endpoint({
  method: 'GET',
  path: '/api/redemption/',
  role,
  summary: 'List redemption codes',
  description: 'Newest first.',
  query: RedemptionListQuery,
  reply: RedemptionPage,
})

export const searchRedemptions = endpoint({
  method: 'GET',
  path: '/api/redemption/search',
  role,
  cost: COST.search,
  summary: 'Search redemption codes',
  query: RedemptionListQuery.extend({
    keyword: QueryText.meta({
      description: 'Code id, beginning of the name, or the complete code.',
      example: 'spring',
    }),
  }),
  reply: RedemptionPage,
})

export const getRedemption = endpoint({
  method: 'GET',
  path: '/api/redemption/:id',
  role,
  summary: 'Get a redemption code',
  params: IdParams,
  reply: Redemption,
})

export const RedemptionDraft = z.object({
  name: Name.default('').meta({ description: 'Name. Empty: the amount.', example: 'spring campaign' }),
  quota: RedemptionQuota.meta({ description: 'Quota units that each code credits.', example: 500_000 }),
  count: z
    .number()
    .int()
    .min(1)
    .max(REDEMPTIONS_AT_ONCE_MAX)
    .default(1)
    .meta({
      description: `Number of codes, at most ${REDEMPTIONS_AT_ONCE_MAX}.`,
      example: 10,
    }),
})
export type RedemptionDraft = z.infer<typeof RedemptionDraft>

export const createRedemptions = endpoint({
  method: 'POST',
  path: '/api/redemption/',
  role,
  changes: RECORDS.redemption,
  summary: 'Create redemption codes',
  description: 'Creates all codes or none.',
  body: RedemptionDraft,
  reply: z
    .array(z.string())
    .meta({ description: 'The codes.', example: ['3f6c1e0a9b7d4c52a1e8f03d6b9c7e54'] }),
})

/** Absent fields stay unchanged. */
export const RedemptionChange = z.object({
  id: z.number().int().positive().meta({ description: 'Code id.', example: 5 }),
  status: z
    .number()
    .int()
    .optional()
    .meta({ description: '1: enable, 2: disable. Read only with `status_only`.', example: 2 }),
  name: Name.refine(name => name !== '', localizedError('兑换码名称不能为空', 'a name is needed'))
    .optional()
    .meta({ description: 'New name.', example: 'summer campaign' }),
  quota: RedemptionQuota.optional().meta({
    description: 'New number of quota units that it credits.',
    example: 500_000,
  }),
})
export type RedemptionChange = z.infer<typeof RedemptionChange>

export const updateRedemption = endpoint({
  method: 'PUT',
  path: '/api/redemption/',
  role,
  changes: RECORDS.redemption,
  summary: 'Update an unused redemption code',
  query: z.object({
    status_only: z.string().optional().meta({
      description: 'Any non-empty value: changes only the status.',
      example: 'true',
    }),
  }),
  body: RedemptionChange,
  reply: Redemption,
})

export const deleteRedemption = endpoint({
  method: 'DELETE',
  path: '/api/redemption/:id',
  role,
  changes: RECORDS.redemption,
  summary: 'Delete a redemption code',
  params: IdParams,
})

export const updateRedemptionsBatch = endpoint({
  method: 'PUT',
  path: '/api/redemption/batch',
  role,
  changes: RECORDS.redemption,
  summary: 'Enable or disable several redemption codes',
  body: z.object({
    ids: Ids,
    status: z.union([z.literal(1), z.literal(2)]).meta({ description: '1: enable, 2: disable.', example: 2 }),
  }),
  reply: z.array(RowOutcome),
})

export const deleteRedemptions = endpoint({
  method: 'POST',
  path: '/api/redemption/batch',
  role,
  changes: RECORDS.redemption,
  summary: 'Delete several redemption codes',
  body: z.object({ ids: Ids }),
  reply: z.array(RowOutcome),
})

/** The conditions of the search. Strict, because a misspelled condition must not select more. */
const MatchingRedemptions = z.strictObject({
  filter: z
    .strictObject({
      keyword: QueryText.meta({
        format: 'password',
        description: 'Code id, beginning of the name, or the complete code. Empty: any.',
        example: 'spring',
      }),
      status: z
        .number()
        .int()
        .min(0)
        .max(3)
        .default(0)
        .meta({ description: '1: unused, 2: disabled, 3: used. 0: any.', example: 1 }),
    })
    .meta({ description: 'Conditions that the codes match, as in the search.' }),
  count: ConfirmedCount,
})

export const updateMatchingRedemptions = endpoint({
  method: 'PUT',
  path: '/api/redemption/matching',
  role,
  conflict: MORE_MATCH,
  changes: RECORDS.redemption,
  cost: COST.statistics,
  summary: 'Enable or disable all redemption codes that match a filter',
  description: 'Used codes stay used.',
  body: MatchingRedemptions.extend({
    status: z.union([z.literal(1), z.literal(2)]).meta({ description: '1: enable, 2: disable.', example: 2 }),
  }),
  reply: MatchingResult,
})

export const deleteMatchingRedemptions = endpoint({
  method: 'POST',
  path: '/api/redemption/matching',
  role,
  conflict: MORE_MATCH,
  changes: RECORDS.redemption,
  cost: COST.statistics,
  summary: 'Delete all redemption codes that match a filter',
  body: MatchingRedemptions,
  reply: MatchingResult,
})

export const redeem = endpoint({
  method: 'POST',
  path: '/api/user/topup',
  role: 'user',
  organization: 'billing',
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Redeem a code',
  body: z.object({
    key: z
      .string()
      .trim()
      .max(CODE_LENGTH_MAX)
      .default('')
      .meta({ format: 'password', description: 'The code.', example: '3f6c1e0a9b7d4c52a1e8f03d6b9c7e54' }),
  }),
  reply: numberField('Quota units credited.', 500_000),
})
