import { z } from 'zod'
import { QueryNumber, QueryNumbers, QueryText } from '#contract/fields.ts'

/** Filters that users may apply to their own rows. */
export const OwnFilters = z.object({
  type: QueryNumber.meta({
    description:
      '1: top-up, 2: consumption, 3: management, 4: system, 5: failed request, 7: rejected request. 0: any.',
    example: 2,
  }),
  start_timestamp: QueryNumber.meta({
    description: 'Start in Unix seconds, inclusive. 0: open.',
    example: 1_760_000_000,
  }),
  end_timestamp: QueryNumber.meta({
    description: 'End in Unix seconds, inclusive. 0: open.',
    example: 1_760_086_400,
  }),
  token_name: QueryText.meta({ description: 'Exact token name. Empty: any.', example: 'production' }),
  model_name: QueryText.meta({
    description: 'One or several comma-separated model names. Empty: any.',
    example: 'gpt-4o,gpt-4o-mini',
  }),
  group: QueryText.meta({ description: 'Exact group. Empty: any.', example: 'default' }),
  request_id: QueryText.meta({ description: 'Exact request id. Empty: any.', example: '' }),
  tag: QueryText.meta({
    description: 'A tag as `key=value`, or a key with any value. Empty: any.',
    example: 'project=website',
  }),
  error: QueryText.meta({
    description:
      'Errors of failed requests, one per line: status and code, or a pattern with `%`. Empty: any row.',
    example: '429 rate_limit_exceeded',
  }),
  not_type: QueryNumbers.meta({ description: 'Comma-separated types to exclude.', example: '5' }),
  not_model_name: QueryText.meta({
    description: 'Comma-separated model names to exclude.',
    example: 'gpt-4o-mini',
  }),
  not_token_name: QueryText.meta({
    description: 'Token names to exclude, one per line.',
    example: 'staging',
  }),
  not_group: QueryText.meta({ description: 'Groups to exclude, one per line.', example: 'vip' }),
})

/** Filters for administrators, over the rows of all users. */
export const AllFilters = OwnFilters.extend({
  username: QueryText.meta({ description: 'Exact user name. Empty: any.', example: 'alice' }),
  channel: QueryNumber.meta({ description: 'Channel id. 0: any.', example: 12 }),
  not_username: QueryText.meta({ description: 'User names to exclude, one per line.', example: 'bob' }),
  not_channel: QueryNumbers.meta({ description: 'Comma-separated channel ids to exclude.', example: '13' }),
})
export type LogFilters = z.infer<typeof AllFilters>
