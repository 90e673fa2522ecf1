import { z } from 'zod'
import { PageSearch } from '#console/app/list/list-search-params.ts'

const Text = z.string().catch('').default('')

/**
 * The URL state of the token list. `q` is part of a name, `key` part of a key, `edit` the open sheet (an id or `new`),
 * and `from` the id of the token that a new one copies.
 */
export const TokenSearch = z.object({
  ...PageSearch,
  q: Text,
  key: Text,
  status: z.enum(['', '1', '2', '3', '4']).catch('').default(''),
  group: Text,
  edit: Text,
  from: Text,
  /** Any text: the tokens of all users, for administrators. */
  all: Text,
})
export type TokenSearch = z.infer<typeof TokenSearch>

export const NEW = 'new'
