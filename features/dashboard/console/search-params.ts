import { z } from 'zod'
import { RANGES } from '#console/app/time/ranges.ts'
import { ANALYTICS_BUCKETS, ANALYTICS_DIMENSIONS, ANALYTICS_MEASURES } from '#contract/enums.ts'

const Digits = z.string().regex(/^\d*$/).catch('').default('')

export const STEPS = ['hour', 'day', 'week'] as const
export type Step = (typeof STEPS)[number]
export const MEASURES = ['quota', 'count', 'tokens'] as const
export type Measure = (typeof MEASURES)[number]

const Text = z.string().catch('').default('')

/** The URL state of the analytics: what is measured, by what, how finely, and of which requests. */
const AnalyticsSearch = {
  tab: z.enum(['overview', 'analytics', 'reconciliation']).catch('overview').default('overview'),
  measure: z.enum(ANALYTICS_MEASURES).catch('requests').default('requests'),
  first: z.enum(ANALYTICS_DIMENSIONS).catch('model').default('model'),
  second: z
    .enum(['', ...ANALYTICS_DIMENSIONS])
    .catch('')
    .default(''),
  bucket: z
    .enum(['', ...ANALYTICS_BUCKETS])
    .catch('')
    .default(''),
  compare: z.enum(['', '1']).catch('').default(''),
  model: Text,
  channel: Digits,
  token: Text,
  group: Text,
  dialect: Text,
  error: Text,
  region: Text,
}

/**
 * The URL state of the dashboard. `range` and `by` are absent while the defaults of the installation apply; `from` and
 * `to` are Unix seconds and take precedence over `range`; `user` applies to administrators; `view` is what the charts measure,
 * `bill` the reconciliation that is open.
 */
export const DashboardSearch = z.object({
  range: z.enum(RANGES).optional().catch(undefined),
  from: Digits,
  to: Digits,
  by: z.enum(STEPS).optional().catch(undefined),
  user: z.string().catch('').default(''),
  view: z.enum(MEASURES).catch('quota').default('quota'),
  bill: Digits,
  ...AnalyticsSearch,
})
