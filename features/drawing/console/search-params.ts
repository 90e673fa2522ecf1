import { z } from 'zod'
import { FilterText, TASK_SEARCH } from '#console/app/task-list/search-params.ts'

/** The URL state of the drawing list. */
export const DrawingSearch = z.object({
  ...TASK_SEARCH,
  mj_id: FilterText,
  view: z.enum(['list', 'gallery']).catch('list').default('list'),
})
export type DrawingSearch = z.infer<typeof DrawingSearch>
