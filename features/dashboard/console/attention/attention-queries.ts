import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { getSetup } from '#contract/options/options.ts'
import { getBackups } from '#features/backups/contract.ts'
import { listChannelHealth } from '#features/channel-health/contract.ts'
import { listChannels } from '#features/channels/contract/channel-endpoints.ts'
import { getDiskForecast } from '#features/doctor/contract.ts'
import { listUsageSpikes } from '#features/usage-alarm/contract.ts'
import { allPages, PAGE_ROWS } from './attention.ts'

const STALE_MS = 60_000
const HEALTH_POLL_MS = 20_000

export const attentionChannelsQuery = queryOptions({
  queryKey: ['detail', 'channels'],
  queryFn: ({ signal }) => allPages(p => call(listChannels, { query: { p, page_size: PAGE_ROWS }, signal })),
  refetchInterval: STALE_MS,
})

export const attentionHealthQuery = queryOptions({
  queryKey: ['detail', 'health'],
  queryFn: ({ signal }) => call(listChannelHealth, { signal }),
  refetchInterval: HEALTH_POLL_MS,
})

export const attentionSpikesQuery = queryOptions({
  queryKey: ['detail', 'spikes'],
  queryFn: ({ signal }) => call(listUsageSpikes, { signal }),
  refetchInterval: STALE_MS,
})

export const attentionBackupsQuery = queryOptions({
  queryKey: ['detail', 'backups'],
  queryFn: ({ signal }) => call(getBackups, { signal }),
  staleTime: STALE_MS,
})

export const attentionDiskQuery = queryOptions({
  queryKey: ['detail', 'disk'],
  queryFn: ({ signal }) => call(getDiskForecast, { signal }),
  staleTime: STALE_MS,
})

/** The key is that of the first steps, so that one call serves both. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call(getSetup, { signal }),
  staleTime: STALE_MS,
})
