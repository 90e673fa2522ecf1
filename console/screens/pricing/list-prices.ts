import type { PricingRow } from '#contract/pricing.ts'
import { isByCall, priceOf } from './prices.ts'
import { providerOf } from './provider-of.ts'
import type { PricingSearch } from './search.ts'

type Filters = Pick<PricingSearch, 'q' | 'provider' | 'kind' | 'sort'>

/** Full-width and half-width letters, upper and lower case are the same to a search. */
const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

const kindOf = (row: PricingRow): 'tokens' | 'call' => (isByCall(row) ? 'call' : 'tokens')

/** The rows that match, in the order that was asked for; at first GPT models, then by name. */
export function listPrices(
  rows: readonly PricingRow[],
  { q, provider, kind, sort }: Filters,
): readonly PricingRow[] {
  const wanted = folded(q)
  return rows
    .filter(row => folded(row.model_name).includes(wanted))
    .filter(row => provider === '' || facetOf(row) === provider)
    .filter(row => kind === '' || kindOf(row) === kind)
    .toSorted(orderOf(sort))
}

const OTHERS_FACET = '-'

/** The provider as the filter knows it: others have a name of their own there. */
const facetOf = (row: PricingRow): string => providerOf(row.model_name) || OTHERS_FACET

type Order = (a: PricingRow, b: PricingRow) => number

const byName: Order = (a, b) => a.model_name.localeCompare(b.model_name)
const isGpt = (row: PricingRow): number => Number(row.model_name.startsWith('gpt'))
const firstOrder: Order = (a, b) => isGpt(b) - isGpt(a) || byName(a, b)

/** Models that are priced by the call have their price in place of both. */
const figureOf = (row: PricingRow, key: 'input' | 'output'): number =>
  isByCall(row) ? row.model_price : priceOf(row, 1)[key]

function orderOf(sort: PricingSearch['sort']): Order {
  if (sort === '') return firstOrder
  const isDescending = sort.startsWith('-')
  const key = isDescending ? sort.slice(1) : sort
  const order: Order =
    key === 'input' || key === 'output'
      ? (a, b) => figureOf(a, key) - figureOf(b, key) || byName(a, b)
      : byName
  return isDescending ? (a, b) => order(b, a) : order
}

export interface Count {
  readonly value: string
  readonly count: number
}

/** How many models each provider has, most first. */
export function countProviders(rows: readonly PricingRow[]): readonly Count[] {
  const groups = Map.groupBy(rows, facetOf)
  return [...groups]
    .map(([value, found]) => ({ value, count: found.length }))
    .toSorted((a, b) => b.count - a.count)
}

export const countKind = (rows: readonly PricingRow[], kind: 'tokens' | 'call'): number =>
  rows.filter(row => kindOf(row) === kind).length
