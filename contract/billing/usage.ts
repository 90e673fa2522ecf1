import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { QueryNumber, QueryText } from '../fields.ts'

/** The longest span of the own usage, in seconds: 30 days. */
export const OWN_USAGE_SECONDS_MAX = 2_592_000
export const USAGE_ROWS_MAX = 50_000

/** What one model was used in one hour. */
export const UsageRow = z.object({
  /** Counts the rows of this answer. */
  id: z.number(),
  /** 0 and empty where users are summed up. */
  user_id: z.number(),
  username: z.string(),
  model_name: z.string(),
  /** Unix seconds of the hour's start. */
  created_at: z.number(),
  token_used: z.number(),
  count: z.number(),
  quota: z.number(),
})
export type UsageRow = z.infer<typeof UsageRow>

const Range = z.object({
  /** Unix seconds, both included; 0 open. */
  start_timestamp: QueryNumber,
  end_timestamp: QueryNumber,
})

export const listUsage = endpoint({
  method: 'GET',
  path: '/api/data/',
  role: 'admin',
  summary: 'Usage by model and hour, of all users together or of one',
  query: Range.extend({ username: QueryText }),
  reply: z.array(UsageRow),
})

export const listSelfUsage = endpoint({
  method: 'GET',
  path: '/api/data/self',
  role: 'user',
  summary: 'Own usage by model and hour, of at most 30 days',
  query: Range,
  reply: z.array(UsageRow),
})
