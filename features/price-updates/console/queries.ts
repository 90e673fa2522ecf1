import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { useInvalidateOptions } from '#console/app/settings/queries.ts'
import {
  approvePriceUpdates,
  getPriceUpdates,
  listPriceChanges,
  type PriceUpdates,
  pinPriceUpdates,
  readPriceFeed,
  undoPriceChanges,
} from '../contract.ts'

/** The server fetches an address for up to 20 s and compares what it finds. */
const READ_MS_MAX = 60_000

/** The differences between the prices in force and the feed that was read last. */
export const priceUpdatesQuery = queryOptions({
  queryKey: ['price-updates'],
  queryFn: ({ signal }) => call(getPriceUpdates, { signal }),
  staleTime: 0,
})

/** A page of approved prices, newest first. */
export const priceChangesQuery = (page: number, size: number) =>
  queryOptions({
    queryKey: ['price-changes', page, size],
    queryFn: ({ signal }) => call(listPriceChanges, { query: { p: page, page_size: size }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** A feed to read: its address, or its text and what to call it. */
export interface PriceFeedSource {
  readonly url: string
  readonly text: string
  readonly name: string
}

export function useReadPriceFeed() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: PriceFeedSource) => call(readPriceFeed, { body, timeoutMs: READ_MS_MAX }),
    onSuccess: (updates: PriceUpdates) => client.setQueryData(priceUpdatesQuery.queryKey, updates),
    meta: { isQuiet: true },
  })
}

/** Refreshes what depends on the prices. */
function useInvalidatePrices(): () => Promise<unknown> {
  const client = useQueryClient()
  const invalidateOptions = useInvalidateOptions()
  return () =>
    Promise.all([
      invalidateOptions(),
      client.invalidateQueries({ queryKey: priceUpdatesQuery.queryKey }),
      client.invalidateQueries({ queryKey: ['price-changes'] }),
    ])
}

export interface Approval {
  readonly revision: string
  readonly models: string[]
  /** Unix seconds; 0: now. */
  readonly effective_at: number
  readonly with_suspicious: boolean
}

export function useApprovePrices() {
  const refresh = useInvalidatePrices()
  return useMutation({
    mutationFn: (body: Approval) => call(approvePriceUpdates, { body }),
    onSettled: refresh,
  })
}

export function usePinPrices() {
  const refresh = useInvalidatePrices()
  return useMutation({
    mutationFn: (body: { readonly models: string[]; readonly is_pinned: boolean }) =>
      call(pinPriceUpdates, { body }),
    onSettled: refresh,
  })
}

export function useUndoPrices() {
  const refresh = useInvalidatePrices()
  return useMutation({
    mutationFn: (batch: string) => call(undoPriceChanges, { body: { batch } }),
    onSettled: refresh,
  })
}
