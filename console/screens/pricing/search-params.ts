import { z } from 'zod'
import { PageSearch } from '../../app/list/table-view.ts'

const Text = z.string().catch('').default('')

export const SORTS = ['', 'name', '-name', 'input', '-input', 'output', '-output'] as const

/**
 * `q` part of a model's name, `group` the one whose prices are shown (empty: the reader's own), `provider` and `kind`
 * filters, `unit` dollars or ratios, `view` a table or cards, `model` the open sheet.
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
