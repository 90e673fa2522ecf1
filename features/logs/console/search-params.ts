import { z } from 'zod'
import { PageSearch } from '#console/app/list/list-search-params.ts'
import { RANGES } from '#console/app/time/ranges.ts'

const Text = z.string().catch('').default('')
const Digits = z.string().regex(/^\d*$/).catch('').default('')

/**
 * The URL state of the log. `range` is absent while the last chosen preset applies; `from` and `to` are Unix seconds
 * and take precedence over it; `row` is the id of the open row.
 */
export const LogSearch = z.object({
  ...PageSearch,
  range: z.enum(RANGES).optional().catch(undefined),
  from: Digits,
  to: Digits,
  type: z.enum(['', '1', '2', '3', '4', '5', '7']).catch('').default(''),
  /** One model, or several separated by commas. */
  model: Text,
  token: Text,
  group: Text,
  channel: Digits,
  user: Text,
  request: Text,
  /** A tag as `key=value`, or a key. */
  tag: Text,
  /** Errors of failed requests, one per line, such as `429 rate_limited`. */
  error: Text,
  /** Excluded values, one per line. */
  not_type: Text,
  not_model: Text,
  not_token: Text,
  not_group: Text,
  not_channel: Text,
  not_user: Text,
  split: z.enum(['outcome', 'model', 'error']).catch('outcome').default('outcome'),
  row: Digits,
  live: z.enum(['', '1']).catch('').default(''),
})
export type LogSearch = z.infer<typeof LogSearch>
