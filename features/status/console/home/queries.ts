import { queryOptions } from '@tanstack/react-query'
import { call, callWithMeta } from '#console/app/api/call.ts'
import { getHomePageContent } from '#contract/status.ts'
import { listPricing, type PricingRow } from '#features/pricing-page/contract.ts'

const CONTENT_FRESH_MS = 10 * 60_000

export interface HomePrices {
  readonly rows: readonly PricingRow[]
  /** Price ratio by group. */
  readonly ratios: Readonly<Record<string, number>>
}

export const homePricesQuery = queryOptions({
  queryKey: ['home-prices'],
  queryFn: async ({ signal }): Promise<HomePrices> => {
    const { data, meta } = await callWithMeta(listPricing, { signal })
    return { rows: data, ratios: meta.group_ratio }
  },
  staleTime: CONTENT_FRESH_MS,
})

export const homeContentQuery = queryOptions({
  queryKey: ['home-page-content'],
  queryFn: ({ signal }) => call(getHomePageContent, { signal }),
  staleTime: CONTENT_FRESH_MS,
})
