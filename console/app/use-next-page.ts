import { type FetchQueryOptions, hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'

/** Fetches the page that follows, once the one before it stands. `next` is absent where none follows. */
export function useNextPage<Data, Key extends QueryKey>(
  next: FetchQueryOptions<Data, Error, Data, Key> | undefined,
): void {
  const client = useQueryClient()
  const fetch = useEffectEvent(() => {
    if (next) void client.prefetchQuery(next)
  })
  const key = next && hashKey(next.queryKey)
  useEffect(() => {
    if (key !== undefined) fetch()
  }, [key])
}
