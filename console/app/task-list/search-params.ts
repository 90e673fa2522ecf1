import { z } from 'zod'
import { PageSearch } from '../list/list-search-params.ts'
import { RangeSearch } from '../time/ranges.ts'

/** A filter in the URL. Empty: none. */
export const FilterText = z.string().catch('').default('')

/** The URL state of every list of tasks: page, time range and filters. */
export const TASK_SEARCH = {
  ...PageSearch,
  ...RangeSearch,
  channel: z.string().regex(/^\d*$/).catch('').default(''),
  action: FilterText,
  status: FilterText,
}
