import { z } from 'zod'
import { RangeSearch } from '../../app/range-search.ts'
import { PageSearch } from '../../app/table-state.ts'

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
