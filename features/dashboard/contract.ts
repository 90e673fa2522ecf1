import { z } from 'zod'
import { COST, endpoint } from '#contract/endpoint.ts'
import { numberField, QueryNumber, QueryText, textField } from '#contract/fields.ts'

/** Users may query at most 30 days of their usage at once. */
export const OWN_USAGE_SECONDS_MAX = 2_592_000
export const USAGE_ROWS_MAX = 50_000

export const UsageRow = z
  .object({
    id: numberField('Number of the row in this response, from 1.', 1),
    user_id: numberField('User id; 0: all users together.', 7),
    username: textField('User name; empty: all users together.', 'alice'),
    model_name: textField('Model name.', 'gpt-4o'),
    created_at: numberField('Start of the hour in Unix seconds.', 1_760_000_400),
    token_used: numberField('Input and output tokens.', 24_800),
    count: numberField('Requests.', 41),
    quota: numberField('Quota units charged.', 12_900),
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
