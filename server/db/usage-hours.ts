import { bulkInsert } from './bulk.ts'

export interface UsageHourRow {
  /** Unix seconds of the hour's start. */
  readonly hour: number
  readonly user_id: number
  readonly token_id: number
  readonly channel_id: number
  readonly model_name: string
  readonly group: string
  readonly type: number
  readonly count: number
  readonly quota: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

const KEY = '"hour", "user_id", "token_id", "channel_id", "model_name", "group", "type"'

/** Adds to the hours' rows, or writes them. Each key at most once, sorted, so that two processes lock in one order. */
export const addToUsageHours = bulkInsert(
  'usage_hours',
  [
    'hour',
    'user_id',
    'token_id',
    'channel_id',
    'model_name',
    'group',
    'type',
    'count',
    'quota',
    'prompt_tokens',
    'completion_tokens',
  ],
  `on conflict (${KEY}) do update set count = usage_hours.count + excluded.count,
    quota = usage_hours.quota + excluded.quota,
    prompt_tokens = usage_hours.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = usage_hours.completion_tokens + excluded.completion_tokens`,
)
