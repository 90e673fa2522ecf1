import { z } from 'zod'
import { RangeSearch } from '#console/app/time/ranges.ts'
import { ANALYTICS_BUCKETS, ANALYTICS_DIMENSIONS, ANALYTICS_MEASURES } from '#contract/enums.ts'

const Text = z.string().catch('').default('')
const Id = z.string().regex(/^\d*$/).catch('').default('')

/** The URL state of the analytics: what is measured, by what, how finely, and of which requests. */
export const AnalyticsSearch = z.object({
  ...RangeSearch,
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
  user: Text,
  channel: Id,
  token: Text,
  group: Text,
  dialect: Text,
  error: Text,
  region: Text,
  organization: Id,
  member: Id,
  project: Id,
  plan: Text,
  tag: Text,
  /** Of the dimension `tag`. */
  key: Text,
})
