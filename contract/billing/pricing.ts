import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

/** What one model costs, before the ratio of the group. */
export const PricingRow = z.object({
  model_name: z.string(),
  /** 0 by tokens, 1 by call. */
  quota_type: z.number(),
  /** 1 is $2 for a million input tokens; 0 where the call is priced. */
  model_ratio: z.number(),
  /** Dollars for a call; 0 where tokens are priced. */
  model_price: z.number(),
  owner_by: z.string(),
  completion_ratio: z.number(),
  cache_ratio: z.number().optional(),
  create_cache_ratio: z.number().optional(),
  audio_ratio: z.number().optional(),
  audio_completion_ratio: z.number().optional(),
  /** Groups to which a channel serves the model. */
  enable_groups: z.array(z.string()),
})
export type PricingRow = z.infer<typeof PricingRow>

export const listPricing = endpoint({
  method: 'GET',
  path: '/api/pricing',
  role: 'visitor',
  summary: 'Prices of the models that can be called now, with the groups that the caller may choose',
  reply: z.array(PricingRow),
  meta: z.object({
    group_ratio: z.record(z.string(), z.number()),
    usable_group: z.record(z.string(), z.string()),
  }),
})
