import { z } from 'zod'
import { PageSearch } from '#console/app/list/list-search-params.ts'

const Text = z.string().catch('').default('')

export const SORTS = ['', 'name', '-name', 'input', '-input', 'output', '-output'] as const

/**
 * The URL state of the price list. `q` is part of a model name, `group` the group whose prices are shown (empty: the
 * user's own), `unit` dollars or ratios, and `model` the model whose sheet is open.
 */
export const PricingSearch = z.object({
  ...PageSearch,
  q: Text,
  group: Text,
  provider: Text,
  kind: z.enum(['', 'tokens', 'call']).catch('').default(''),
  unit: z.enum(['price', 'ratio']).catch('price').default('price'),
  view: z.enum(['table', 'cards']).catch('table').default('table'),
  sort: z.enum(SORTS).catch('').default(''),
  model: Text,
})
export type PricingSearch = z.infer<typeof PricingSearch>
