import { z } from 'zod'
import { RANGES } from '../../app/time/ranges.ts'

const Digits = z.string().regex(/^\d*$/).catch('').default('')

export const STEPS = ['hour', 'day', 'week'] as const
export type Step = (typeof STEPS)[number]
export const MEASURES = ['quota', 'count', 'tokens'] as const
export type Measure = (typeof MEASURES)[number]

/**
 * `range` and `by` are absent while the installation's own hold; `from` and `to` are Unix seconds and win over `range`;
 * `user` is for administrators; `view` is what the charts measure.
 */
export const DetailSearch = z.object({
  range: z.enum(RANGES).optional().catch(undefined),
  from: Digits,
  to: Digits,
  by: z.enum(STEPS).optional().catch(undefined),
  user: z.string().catch('').default(''),
  view: z.enum(MEASURES).catch('quota').default('quota'),
})
