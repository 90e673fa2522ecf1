import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useListUrl } from '../../app/list-url.ts'
import { useUser } from '../../app/session.ts'
import { listPrices } from './list-prices.ts'
import { pricesQuery } from './queries.ts'
import { PricingSearch } from './search.ts'

const DEFAULT_GROUP = 'default'
const LIST_PRICE = 1
const NO_ROWS = [] as const

/** What is offered, as the address asks for it. */
export function usePricing() {
  const url = useListUrl(PricingSearch)
  const user = useUser()
  const prices = useQuery(pricesQuery(user?.id ?? 0))
  const { search, page, size } = url
  const own = user?.group || DEFAULT_GROUP
  const ratios = prices.data?.ratios
  const group = search.group !== '' && ratios && Object.hasOwn(ratios, search.group) ? search.group : own
  const all = prices.data?.rows ?? NO_ROWS
  const listed = useMemo(() => listPrices(all, search), [all, search])
  return {
    url,
    prices,
    isGuest: user === undefined,
    own,
    group,
    ratioOf: (name: string) => ratios?.[name] ?? LIST_PRICE,
    all,
    listed,
    shown: listed.slice((page - 1) * size, page * size),
  }
}

export type Pricing = ReturnType<typeof usePricing>
