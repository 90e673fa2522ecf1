import { z } from 'zod'
import { FilterText, TASK_SEARCH } from '#console/app/task-list/search-params.ts'

/** The URL state of the task list. */
export const TaskSearch = z.object({ ...TASK_SEARCH, task_id: FilterText, platform: FilterText })
export type TaskSearch = z.infer<typeof TaskSearch>
