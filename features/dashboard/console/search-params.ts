import { z } from 'zod'
import { RangeSearch } from '#console/app/time/ranges.ts'

export const STEPS = ['hour', 'day', 'week'] as const
export type Step = (typeof STEPS)[number]
export const MEASURES = ['quota', 'count', 'tokens'] as const
export type Measure = (typeof MEASURES)[number]

export const OVERVIEW = 'overview'

/**
 * The URL state of the dashboard. `range` and `by` are absent while the defaults of the installation apply; `from` and
 * `to` are Unix seconds and take precedence over `range`; `user` applies to administrators; `view` is what the charts measure,
 * `tab` the panel that is open.
 */
export const DashboardSearch = z.object({
  ...RangeSearch,
  by: z.enum(STEPS).optional().catch(undefined),
  user: z.string().catch('').default(''),
  view: z.enum(MEASURES).catch('quota').default('quota'),
  tab: z.string().catch(OVERVIEW).default(OVERVIEW),
})
