import { z } from 'zod'
import { PageSearch } from '#console/app/list/list-search-params.ts'

const Text = z.string().catch('').default('')

/** The URL state of the code list. `q` is an id or the beginning of a name, `edit` the open sheet (an id or `new`). */
export const RedemptionSearch = z.object({
  ...PageSearch,
  q: Text,
  status: z.enum(['', '1', '2', '3']).catch('').default(''),
  edit: Text,
})
export type RedemptionSearch = z.infer<typeof RedemptionSearch>

export const NEW = 'new'
