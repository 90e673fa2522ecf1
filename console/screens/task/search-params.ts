import { z } from 'zod'
import { PageSearch } from '../../app/list/table-view.ts'
import { RangeSearch } from '../../app/time/ranges.ts'

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
