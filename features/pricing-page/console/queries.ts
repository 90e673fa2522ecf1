import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { callWithMeta } from '#console/app/api/call.ts'
import { queryClient } from '#console/app/api/query-client.ts'
import { useListSearchParams } from '#console/app/list/list-page.tsx'
import type { FoundRecord } from '#console/app/router/define-screen.ts'
import { useUser } from '#console/app/session/session.ts'
import { servedModelsQuery } from '#console/app/snippets/example-model.ts'
import { listPricing, type PricingRow } from '../contract.ts'
import { listPrices } from './prices.ts'
import { PricingSearch } from './search-params.ts'

const PRICES_STALE_MS = 5 * 60_000

export interface Prices {
  readonly rows: readonly PricingRow[]
  /** The groups that the user may choose, with their ratios. */
  readonly ratios: Readonly<Record<string, number>>
  readonly descriptions: Readonly<Record<string, string>>
}

/** All models with their prices. The server answers visitors and users differently: 0 is a visitor. */
const pricesQuery = (userId: number) =>
  queryOptions({
    queryKey: ['pricing', userId],
    queryFn: async ({ signal }): Promise<Prices> => {
      const { data, meta } = await callWithMeta(listPricing, { signal })
      return { rows: data, ratios: meta.group_ratio, descriptions: meta.usable_group }
    },
    staleTime: PRICES_STALE_MS,
  })

const DEFAULT_GROUP = 'default'
const LIST_PRICE = 1
const NO_ROWS = [] as const

/** The price list as the URL asks for it: all models, the matching ones in order, and those of the page. */
export function usePricing() {
  const url = useListSearchParams(PricingSearch)
  const user = useUser()
  const prices = useQuery(pricesQuery(user?.id ?? 0))
  const { search, page, size } = url
  const ownGroup = user?.group || DEFAULT_GROUP
  const ratios = prices.data?.ratios
  const group = search.group !== '' && ratios && Object.hasOwn(ratios, search.group) ? search.group : ownGroup
  const all = prices.data?.rows ?? NO_ROWS
  const matches = useMemo(() => listPrices(all, search), [all, search])
  return {
    url,
    prices,
    isGuest: user === undefined,
    ownGroup,
    group,
    groupRatio: (name: string) => ratios?.[name] ?? LIST_PRICE,
    all,
    matches,
    pageRows: matches.slice((page - 1) * size, page * size),
  }
}

export type Pricing = ReturnType<typeof usePricing>

const FOUND_MAX = 5

/** Models that can be called and whose name contains the text. The list is loaded once for all searches. */
export async function findModels(typed: string): Promise<readonly FoundRecord[]> {
  const keyword = typed.toLowerCase()
  const rows = await queryClient.fetchQuery(servedModelsQuery)
  return rows
    .map(row => row.model_name)
    .filter(model => model.toLowerCase().includes(keyword))
    .slice(0, FOUND_MAX)
    .map(model => ({ name: model, href: `/pricing?model=${encodeURIComponent(model)}` }))
}
