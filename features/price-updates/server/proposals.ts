import { z } from 'zod'
import { OwnPrices } from '#contract/catalogue/price-list.ts'
import { PROBLEM_REASONS } from './feeds/feed.ts'

/** Body of a stored proposal. */
export const ProposalBody = z.object({
  prices: OwnPrices.optional(),
  retires: z.string().optional(),
  successor: z.string().optional(),
})
export type ProposalBody = z.infer<typeof ProposalBody>

export const READING = 'reading'

/** Row of the last reading. */
export const ReadingBody = z.object({
  revision: z.string(),
  format: z.string(),
  rowCount: z.number(),
  problems: z.array(
    z.object({
      model: z.string(),
      reason: z.enum(PROBLEM_REASONS),
      field: z.string(),
      found: z.string(),
    }),
  ),
})
