import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { getAnalytics } from '#features/analytics/contract.ts'
import { listChannelHealth } from '../contract.ts'

const POLL_MS = 20_000

/** Null for a channel that was not called in the last 24 hours. */
export const healthQuery = (id: number) =>
  queryOptions({
    queryKey: ['channel-health', id],
    queryFn: async ({ signal }) =>
      (await call(listChannelHealth, { signal })).find(health => health.id === id) ?? null,
    refetchInterval: POLL_MS,
  })

/** The time within which 95% of a channel's streams of the last 24 hours began, in milliseconds; null when it is unknown. */
export const firstTokenQuery = (id: number) =>
  queryOptions({
    queryKey: ['channel-health', id, 'first-token'],
    queryFn: async ({ signal }) => {
      const query = { channel: String(id), by: 'model', measure: 'first_token_p95', limit: 1 } as const
      const { total } = await call(getAnalytics, { query, signal })
      return total.first_token_p95 ?? null
    },
  })
