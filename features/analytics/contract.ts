import { z } from 'zod'
import { COST, endpoint } from '#contract/endpoint.ts'
import {
  ANALYTICS_BUCKETS,
  ANALYTICS_DIMENSIONS,
  ANALYTICS_MEASURES,
  OWN_ANALYTICS_DIMENSIONS,
  OWN_ANALYTICS_MEASURES,
} from '#contract/enums.ts'
import { LocalDays, QueryFlag, QueryNumber, QueryNumbers, QueryText } from '#contract/fields.ts'

/** A report covers at most 400 days. */
export const ANALYTICS_SECONDS_MAX = 400 * 86_400
/** Minutes are kept for two days. */
export const ANALYTICS_MINUTES_SECONDS = 48 * 3600
export const ANALYTICS_GROUPS_MAX = 200
export const ANALYTICS_SLOTS_MAX = 1500

const count = (description: string, example: number) => z.number().meta({ description, example })
const percentile = (description: string, example: number) =>
  z
    .number()
    .nullable()
    .meta({ description: `${description}, in milliseconds within 2%. Null: unknown.`, example })

const OwnFigures = z.object({
  requests: count('Model calls that ended, charged or failed, each once.', 1_250),
  errors: count('Requests that failed.', 12),
  quota: count('Quota units charged.', 6_200_000),
  input_tokens: count('Input tokens that no other bucket counts.', 810_000),
  cached_input_tokens: count('Input tokens read from a cache.', 400_000),
  cache_write_tokens: count('Input tokens written to a cache.', 52_000),
  audio_input_tokens: count('Input tokens of audio.', 0),
  image_input_tokens: count('Input tokens of images.', 0),
  output_tokens: count('Output tokens that no other bucket counts.', 96_000),
  reasoning_tokens: count('Output tokens of reasoning.', 21_000),
  audio_output_tokens: count('Output tokens of audio.', 0),
  first_token_p50: percentile('Median time to the first token of charged requests', 640).optional(),
  first_token_p95: percentile('95th percentile of the time to the first token', 2_100).optional(),
  duration_p50: percentile('Median duration of charged requests', 4_200).optional(),
  duration_p95: percentile('95th percentile of the duration', 17_000).optional(),
})

/** The buckets of tokens, which add up to all that a request used. */
export const TOKEN_FIGURES = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'audio_input_tokens',
  'image_input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'audio_output_tokens',
] as const satisfies readonly (keyof typeof OwnFigures.shape)[]

const AllFigures = OwnFigures.extend({
  cost_nanos: count('What the requests with a known cost cost, in billionths of a dollar.', 9_400_000_000),
  costed_quota: count('Quota units charged for the requests with a known cost.', 6_100_000),
  margin_nanos: count(
    'Revenue minus cost of the requests with a known cost, in billionths of a dollar.',
    2_800_000_000,
  ),
})
export type AnalyticsFigures = z.infer<typeof AllFigures>
export type OwnAnalyticsFigures = z.infer<typeof OwnFigures>

const reportOf = <Figures extends z.ZodType, More extends z.ZodRawShape>(
  id: string,
  figures: Figures,
  more: More,
) =>
  z
    .object({
      ...more,
      start_timestamp: count('Start of the period that is covered, in Unix seconds.', 1_760_000_400),
      end_timestamp: count('First second after it.', 1_760_086_800),
      bucket: z.enum(ANALYTICS_BUCKETS).meta({ description: 'Length of the slots.', example: 'hour' }),
      is_complete: z.boolean().meta({
        description: 'False while requests from before an upgrade are still being counted.',
        example: true,
      }),
      total: figures.meta({ description: 'All requests of the period.' }),
      previous_total: figures.nullable().meta({
        description: 'The total of the period of the same length before; null unless asked for.',
      }),
      groups: z
        .array(
          z.object({
            value: z.string().meta({ description: 'Value of the dimension; an id as text.', example: '12' }),
            name: z.string().meta({ description: 'Its name; empty when it has none.', example: 'OpenAI EU' }),
            second_value: z.string().meta({ description: 'Value of the second dimension.', example: '' }),
            second_name: z.string().meta({ description: 'Its name.', example: '' }),
            figures: figures.meta({ description: 'The requests of the group.' }),
            previous: figures.nullable().meta({ description: 'The same group in the previous period.' }),
          }),
        )
        .meta({ description: 'The largest groups, largest first.' }),
      has_more: z.boolean().meta({ description: 'Whether there are more groups.', example: false }),
      slots: z.array(z.number()).meta({
        description: 'Start of each slot in Unix seconds, in order.',
        example: [1_760_000_400],
      }),
      series: z
        .array(
          z.object({
            value: z.string().meta({ description: 'Value of the dimension.', example: 'gpt-4o' }),
            name: z.string().meta({ description: 'Its name.', example: 'gpt-4o' }),
            is_other: z.boolean().meta({ description: 'All other values together.', example: false }),
            numbers: z.array(z.number().nullable()).meta({
              description: 'The measure in each slot; amounts in billionths of a dollar.',
              example: [41],
            }),
          }),
        )
        .meta({ description: 'The measure over time, for the largest values of the first dimension.' }),
    })
    .meta({ id, description: 'Requests by one or two dimensions, and over time.' })

export const AnalyticsReport = reportOf('AnalyticsReport', AllFigures, {})
export type AnalyticsReport = z.infer<typeof AnalyticsReport>
export const OwnAnalyticsReport = reportOf('OwnAnalyticsReport', OwnFigures, {
  is_organization: z.boolean().meta({
    description: 'Whether the requests are those of an organisation, with members and projects.',
    example: false,
  }),
})
export type OwnAnalyticsReport = z.infer<typeof OwnAnalyticsReport>

const Period = z.object({
  start_timestamp: QueryNumber.meta({
    description: 'Start in Unix seconds. 0: 24 hours before the end.',
    example: 1_760_000_000,
  }),
  end_timestamp: QueryNumber.meta({
    description: 'End in Unix seconds, exclusive. 0: now.',
    example: 1_760_086_400,
  }),
  bucket: z
    .enum(['', ...ANALYTICS_BUCKETS])
    .default('')
    .meta({ description: 'Length of the slots. Empty: chosen by the period.', example: 'hour' }),
  ...LocalDays,
  compare: QueryFlag.meta({ description: 'Whether to return the previous period too.', example: 'true' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(ANALYTICS_GROUPS_MAX)
    .default(20)
    .meta({ description: 'Groups in the response.', example: 20 }),
})

const OwnQuery = Period.extend({
  by: z.enum(OWN_ANALYTICS_DIMENSIONS).default('model').meta({ description: 'Dimension.', example: 'model' }),
  second: z
    .enum(['', ...OWN_ANALYTICS_DIMENSIONS])
    .default('')
    .meta({ description: 'Second dimension. Empty: none.', example: 'token' }),
  measure: z
    .enum(OWN_ANALYTICS_MEASURES)
    .default('requests')
    .meta({ description: 'What the slots contain and groups are ordered by.', example: 'requests' }),
  model_name: QueryText.meta({
    description: 'One or several comma-separated model names. Empty: any.',
    example: 'gpt-4o',
  }),
  token_name: QueryText.meta({ description: 'Exact token name. Empty: any.', example: 'production' }),
  group: QueryText.meta({ description: 'Exact group. Empty: any.', example: 'default' }),
  dialect: QueryText.meta({ description: "The client's format. Empty: any.", example: 'anthropic' }),
  error: QueryText.meta({
    description: 'Status and code of failed requests. Empty: any.',
    example: '429 rate_limit_exceeded',
  }),
  region: QueryText.meta({ description: 'Region. Empty: any.', example: 'eu' }),
  member: QueryNumbers.meta({
    description: 'Comma-separated ids of members of an organisation; 0: what belongs to none. Empty: any.',
    example: '31',
  }),
  project: QueryNumbers.meta({
    description: 'Comma-separated ids of projects; 0: what belongs to none. Empty: any.',
    example: '4',
  }),
  tag_key: QueryText.meta({
    description: 'Key whose values are the dimension `tag`, which needs one.',
    example: 'project',
  }),
  tag: QueryText.meta({
    description: 'A tag as `key=value`, or a key with any value. Empty: any, and none.',
    example: 'project=website',
  }),
  plan: QueryText.meta({
    description: 'Name of the plan whose subscription paid. Empty: any, and what the balance paid.',
    example: 'Pro',
  }),
})

const AllQuery = OwnQuery.extend({
  by: z.enum(ANALYTICS_DIMENSIONS).default('model').meta({ description: 'Dimension.', example: 'channel' }),
  second: z
    .enum(['', ...ANALYTICS_DIMENSIONS])
    .default('')
    .meta({ description: 'Second dimension. Empty: none.', example: 'model' }),
  measure: z
    .enum(ANALYTICS_MEASURES)
    .default('requests')
    .meta({ description: 'What the slots contain and groups are ordered by.', example: 'margin' }),
  username: QueryText.meta({ description: 'Exact user name. Empty: any.', example: 'alice' }),
  channel: QueryNumbers.meta({ description: 'Comma-separated channel ids. Empty: any.', example: '12' }),
  organization: QueryNumbers.meta({
    description: 'Comma-separated ids of organisations; 0: what persons used. Empty: any.',
    example: '9',
  }),
})
export type AnalyticsQuery = z.infer<typeof AllQuery>

const DESCRIPTION = `The period is at most 400 days (92 with tags, which are those of log rows), extended to whole minutes or hours. Counts include requests of at least a minute ago.`
const CSV_DESCRIPTION = 'The largest groups with their total, amounts in dollars. At most 5,000 rows.'

export const getAnalytics = endpoint({
  method: 'GET',
  path: '/api/analytics/',
  role: 'admin',
  cost: COST.statistics,
  summary: 'Analyze requests of all users',
  description: DESCRIPTION,
  query: AllQuery,
  reply: AnalyticsReport,
})

export const getSelfAnalytics = endpoint({
  method: 'GET',
  path: '/api/analytics/self',
  role: 'user',
  organization: 'billing',
  cost: COST.statistics,
  summary: 'Analyze your requests',
  description: DESCRIPTION,
  query: OwnQuery,
  reply: OwnAnalyticsReport,
})

export const exportAnalytics = endpoint({
  method: 'GET',
  path: '/api/analytics/export',
  role: 'admin',
  audit: 'success',
  cost: COST.export,
  summary: 'Export analytics of all users as CSV',
  needs: 'recent-session',
  description: CSV_DESCRIPTION,
  query: AllQuery,
  produces: 'text/csv',
})

export const exportSelfAnalytics = endpoint({
  method: 'GET',
  path: '/api/analytics/self/export',
  role: 'user',
  organization: 'billing',
  audit: 'success',
  cost: COST.export,
  summary: 'Export your analytics as CSV',
  description: CSV_DESCRIPTION,
  query: OwnQuery,
  produces: 'text/csv',
})
