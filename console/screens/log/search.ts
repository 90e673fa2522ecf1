import { z } from 'zod'
import { RANGES } from '../../app/time/ranges.ts'
import { PageSearch } from '../../app/list/list-search-params.ts'

const Text = z.string().catch('').default('')
const Digits = z.string().regex(/^\d*$/).catch('').default('')

/**
 * What the log's address holds. `range` is absent while the reader's last one holds; `from` and `to` are Unix seconds
 * and win over it; `row` is the open row's id.
 */
export const LogSearch = z.object({
  ...PageSearch,
  range: z.enum(RANGES).optional().catch(undefined),
  from: Digits,
  to: Digits,
  type: z.enum(['', '1', '2', '3', '4', '5']).catch('').default(''),
  /** One name, or several with commas between. */
  model: Text,
  token: Text,
  group: Text,
  channel: Digits,
  user: Text,
  request: Text,
  /** Values that are left out, one a line. */
  not_type: Text,
  not_model: Text,
  not_token: Text,
  not_group: Text,
  not_channel: Text,
  not_user: Text,
  split: z.enum(['outcome', 'model']).catch('outcome').default('outcome'),
  row: Digits,
  live: z.enum(['', '1']).catch('').default(''),
})
export type LogSearch = z.infer<typeof LogSearch>
