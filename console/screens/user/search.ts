import { z } from 'zod'
import { PageSearch } from '../../app/table-state.ts'

const Text = z.string().catch('').default('')

/** `q` an id or part of a name or address. `status` -1 are the deregistered. */
export const UserSearch = z.object({
  ...PageSearch,
  q: Text,
  group: Text,
  role: z.enum(['', '1', '10', '100']).catch('').default(''),
  status: z.enum(['', '1', '2', '-1']).catch('').default(''),
  sort: z.enum(['', 'quota', '-quota', 'used_quota', '-used_quota']).catch('').default(''),
})
export type UserSearch = z.infer<typeof UserSearch>
