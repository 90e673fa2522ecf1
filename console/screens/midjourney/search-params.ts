import { z } from 'zod'
import { PageSearch } from '../../app/list/table-view.ts'
import { RangeSearch } from '../../app/time/ranges.ts'

const Text = z.string().catch('').default('')

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
