import { z } from 'zod'
import { PageSearch } from '../../app/list/list-search-params.ts'

const Text = z.string().catch('').default('')

/** `q` part of the name, `key` part of the key, `status` 1 to 4, `edit` the open sheet (an id or `new`), `from` what a new one copies. */
export const TokenSearch = z.object({
  ...PageSearch,
  q: Text,
  key: Text,
  status: z.enum(['', '1', '2', '3', '4']).catch('').default(''),
  group: Text,
  edit: Text,
  from: Text,
})
export type TokenSearch = z.infer<typeof TokenSearch>

export const NEW = 'new'
