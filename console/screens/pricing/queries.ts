import { queryOptions } from '@tanstack/react-query'
import { listPricing, type PricingRow } from '#contract/pricing.ts'
import { callWhole } from '../../app/call.ts'

const PRICES_FRESH_MS = 5 * 60_000

export interface Prices {
  readonly rows: readonly PricingRow[]
  /** Groups that the reader may choose, with their ratios. */
  readonly ratios: Readonly<Record<string, number>>
  readonly descriptions: Readonly<Record<string, string>>
}

/** What is offered, and to whom: visitors and users are answered differently. */
export const pricesQuery = (userId: number) =>
  queryOptions({
    queryKey: ['pricing', userId],
    queryFn: async ({ signal }): Promise<Prices> => {
      const { data, beside } = await callWhole(listPricing, { signal })
      return { rows: data, ratios: beside.group_ratio, descriptions: beside.usable_group }
    },
    staleTime: PRICES_FRESH_MS,
  })
