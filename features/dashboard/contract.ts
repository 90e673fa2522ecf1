import { z } from 'zod'
import { COST, endpoint } from '#contract/endpoint.ts'
import { QueryNumber, QueryText } from '#contract/fields.ts'

/** Users may query at most 30 days of their usage at once. */
export const OWN_USAGE_SECONDS_MAX = 2_592_000
export const USAGE_ROWS_MAX = 50_000

export const UsageRow = z
  .object({
    id: z.number().meta({ description: 'Number of the row in this response, from 1.', example: 1 }),
    user_id: z.number().meta({ description: 'User id; 0: all users together.', example: 7 }),
    username: z.string().meta({ description: 'User name; empty: all users together.', example: 'alice' }),
    model_name: z.string().meta({ description: 'Model name.', example: 'gpt-4o' }),
    created_at: z
      .number()
      .meta({ description: 'Start of the hour in Unix seconds.', example: 1_760_000_400 }),
    token_used: z.number().meta({ description: 'Input and output tokens.', example: 24_800 }),
    count: z.number().meta({ description: 'Requests.', example: 41 }),
    quota: z.number().meta({ description: 'Quota units charged.', example: 12_900 }),
  })
  .meta({ id: 'UsageRow', description: 'Usage of one model in one hour.' })
export type UsageRow = z.infer<typeof UsageRow>

const UsageQuery = z.object({
  start_timestamp: QueryNumber.meta({
    description: 'Start in Unix seconds, inclusive. 0: open.',
    example: 1_760_000_000,
  }),
  end_timestamp: QueryNumber.meta({
    description: 'End in Unix seconds, inclusive. 0: now.',
    example: 1_760_086_400,
  }),
})

export const listUsage = endpoint({
  method: 'GET',
  path: '/api/data/',
  role: 'admin',
  cost: COST.statistics,
  summary: 'List usage by model and hour',
  description: `At most ${USAGE_ROWS_MAX} rows.`,
  query: UsageQuery.extend({
    username: QueryText.meta({
      description: 'Exact user name. Empty: all users together.',
      example: 'alice',
    }),
  }),
  reply: z.array(UsageRow),
})

export const listSelfUsage = endpoint({
  method: 'GET',
  path: '/api/data/self',
  role: 'user',
  organization: 'billing',
  cost: COST.statistics,
  summary: 'List your usage by model and hour',
  description: 'The range is at most 30 days.',
  query: UsageQuery,
  reply: z.array(UsageRow),
})
