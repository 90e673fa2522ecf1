import { z } from 'zod'
import { RANGES } from '../../app/time/ranges.ts'

const Digits = z.string().regex(/^\d*$/).catch('').default('')

export const STEPS = ['hour', 'day', 'week'] as const
export type Step = (typeof STEPS)[number]
export const MEASURES = ['quota', 'count', 'tokens'] as const
export type Measure = (typeof MEASURES)[number]

/**
 * The URL state of the dashboard. `range` and `by` are absent while the defaults of the installation apply; `from` and
 * `to` are Unix seconds and take precedence over `range`; `user` applies to administrators; `view` is what the charts measure.
 */
export const DashboardSearch = z.object({
  range: z.enum(RANGES).optional().catch(undefined),
  from: Digits,
  to: Digits,
  by: z.enum(STEPS).optional().catch(undefined),
  user: z.string().catch('').default(''),
  view: z.enum(MEASURES).catch('quota').default('quota'),
})
