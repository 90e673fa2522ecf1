import { z } from 'zod'
import { endpoint, IdParams, Ids, PagesFromOne, pageOf, RowOutcome } from '../endpoint.ts'
import { localizedError, QUOTA_MAX, QueryNumber, QueryText } from '../fields.ts'

export const REDEMPTIONS_AT_ONCE_MAX = 100
export const REDEMPTION_NAME_LENGTH_MAX = 20
const CODE_LENGTH_MAX = 200

/** Status: 1 unused, 2 disabled, 3 used. */
export const Redemption = z.object({
  id: z.number(),
  /** Who made it. */
  user_id: z.number(),
  /** What is typed in to redeem it: 32 hex digits. */
  key: z.string(),
  status: z.number(),
  name: z.string(),
  quota: z.number(),
  created_time: z.number(),
  redeemed_time: z.number(),
  /** Always 0: only creating knows a count. */
  count: z.number(),
  /** 0 while nobody has. */
  used_user_id: z.number(),
  DeletedAt: z.string().nullable(),
})
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

/** `status` 0 means any. */
const RedemptionListQuery = PagesFromOne.extend({ status: QueryNumber })

/** `unused_count` and `unused_quota` are of all codes that match, not only of this page. */
const RedemptionPage = pageOf(Redemption).extend({ unused_count: z.number(), unused_quota: z.number() })

const RedemptionQuota = z.number().int().min(1).max(QUOTA_MAX)

export const listRedemptions = endpoint({
  method: 'GET',
  path: '/api/redemption/',
  role,
  summary: 'Redemption codes, newest first',
  query: RedemptionListQuery,
  reply: RedemptionPage,
})

export const searchRedemptions = endpoint({
  method: 'GET',
  path: '/api/redemption/search',
  role,
  summary: 'Redemption codes by id, by the beginning of the name, or by the whole code',
  query: RedemptionListQuery.extend({ keyword: QueryText }),
  reply: RedemptionPage,
})

export const getRedemption = endpoint({
  method: 'GET',
  path: '/api/redemption/:id',
  role,
  summary: 'One redemption code',
  params: IdParams,
  reply: Redemption,
})

export const RedemptionDraft = z.object({
  /** Empty: the amount is the name. */
  name: Name.default(''),
  quota: RedemptionQuota,
  count: z.number().int().min(1).max(REDEMPTIONS_AT_ONCE_MAX).default(1),
})
export type RedemptionDraft = z.infer<typeof RedemptionDraft>

export const createRedemptions = endpoint({
  method: 'POST',
  path: '/api/redemption/',
  role,
  summary: 'Makes codes of equal worth, all or none, and answers them',
  body: RedemptionDraft,
  reply: z.array(z.string()),
})

/** What is absent stays. */
export const RedemptionChange = z.object({
  id: z.number().int().positive(),
  status: z.number().int().optional(),
  name: Name.refine(name => name !== '', localizedError('兑换码名称不能为空', 'a name is needed')).optional(),
  quota: RedemptionQuota.optional(),
})
export type RedemptionChange = z.infer<typeof RedemptionChange>

export const updateRedemption = endpoint({
  method: 'PUT',
  path: '/api/redemption/',
  role,
  summary: 'Changes an unused code; with status_only disables it (2) or enables it again (1)',
  query: z.object({ status_only: z.string().optional() }),
  body: RedemptionChange,
  reply: Redemption,
})

export const deleteRedemption = endpoint({
  method: 'DELETE',
  path: '/api/redemption/:id',
  role,
  summary: 'Deletes a code',
  params: IdParams,
})

export const updateRedemptionsBatch = endpoint({
  method: 'PUT',
  path: '/api/redemption/batch',
  role,
  summary: 'Enables (1) or disables (2) the named codes; each row is told of',
  body: z.object({ ids: Ids, status: z.union([z.literal(1), z.literal(2)]) }),
  reply: z.array(RowOutcome),
})

export const deleteRedemptions = endpoint({
  method: 'POST',
  path: '/api/redemption/batch',
  role,
  summary: 'Deletes the named codes; each row is told of',
  body: z.object({ ids: Ids }),
  reply: z.array(RowOutcome),
})

export const redeem = endpoint({
  method: 'POST',
  path: '/api/user/topup',
  role: 'user',
  summary: 'Redeems a code and answers the units that it brought',
  body: z.object({ key: z.string().trim().max(CODE_LENGTH_MAX).default('') }),
  reply: z.number(),
})
