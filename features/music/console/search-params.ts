import { z } from 'zod'
import { PageSearch } from '#console/app/list/list-search-params.ts'
import { RangeSearch } from '#console/app/time/ranges.ts'

const Text = z.string().catch('').default('')

/** The URL state of the task list: page, time range and filters. */
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
