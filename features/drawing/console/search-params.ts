import { z } from 'zod'
import { PageSearch } from '#console/app/list/list-search-params.ts'
import { RangeSearch } from '#console/app/time/ranges.ts'

const Text = z.string().catch('').default('')

/** The URL state of the drawing list: page, time range, filters, and list or gallery. */
export const DrawingSearch = z.object({
  ...PageSearch,
  ...RangeSearch,
  mj_id: Text,
  channel: z.string().regex(/^\d*$/).catch('').default(''),
  action: Text,
  status: Text,
  view: z.enum(['list', 'gallery']).catch('list').default('list'),
})
export type DrawingSearch = z.infer<typeof DrawingSearch>
