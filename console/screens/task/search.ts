import { z } from 'zod'
import { RangeSearch } from '../../app/range-search.ts'
import { PageSearch } from '../../app/table-state.ts'

const Text = z.string().catch('').default('')

export const TaskSearch = z.object({
  ...PageSearch,
  ...RangeSearch,
  task_id: Text,
  channel: z.string().regex(/^\d*$/).catch('').default(''),
  platform: Text,
  action: Text,
  status: Text,
})
export type TaskSearch = z.infer<typeof TaskSearch>
