import { queryOptions } from '@tanstack/react-query'
import * as checks from '#contract/channels/channel-checks.ts'
import * as calls from '#contract/channels/channel-endpoints.ts'
import type { Channel, ChannelChange, ChannelRunProgress } from '#contract/channels/channels.ts'
import { previewRoute } from '#contract/channels/route-preview.ts'
import { call, callWithMeta } from '../../app/api/call.ts'
import { writeStoredJson } from '../../app/preferences/local-store.ts'
import {
  BALANCE_PROGRESS_KEY,
  LIST_KEY,
  OPTIONS_STALE_MS,
  TEST_PROGRESS_KEY,
  TEST_TIMEOUT_MS,
} from './queries.ts'

// The calls of the sheets, dialogs and menus, apart from those of the list, so that the list loads without them.

const PROGRESS_POLL_MS = 1500
const ROUTE_POLL_MS = 5000

export const channelQuery = (id: number) =>
  queryOptions({
    queryKey: ['channels', 'one', id],
    queryFn: ({ signal }) => call(calls.getChannel, { params: { id }, signal }),
    staleTime: 0,
  })

export const tagsQuery = queryOptions({
  queryKey: ['channels', 'tags'],
  queryFn: ({ signal }) => call(calls.listChannelTags, { signal }),
})

/** All known model names. They are also stored under `channel_models`. */
export const modelsQuery = queryOptions({
  queryKey: ['channelModels'],
  queryFn: async ({ signal }) => {
    const models = (await call(calls.listChannelModels, { signal })).map(model => model.id)
    writeStoredJson('channel_models', models)
    return models
  },
  staleTime: OPTIONS_STALE_MS,
})

/** The models that at least one enabled channel serves. */
export const enabledModelsQuery = queryOptions({
  queryKey: ['channels', 'enabled-models'],
  queryFn: ({ signal }) => call(calls.listEnabledModels, { signal }),
})

/** The route that a request would take. Polled and never cached because it changes with the health of the channels. */
export const routeQuery = (model: string, group: string) =>
  queryOptions({
    queryKey: ['channels', 'route', model, group],
    queryFn: ({ signal }) => call(previewRoute, { query: { model, group }, signal }),
    staleTime: 0,
    refetchInterval: ROUTE_POLL_MS,
  })

type ProgressEndpoint = typeof checks.getTestProgress | typeof checks.getBalanceProgress

/** Polled while a run is in progress. Each finished channel refreshes the lists. */
const progressQuery = (queryKey: readonly string[], endpoint: ProgressEndpoint) =>
  queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => {
      const before = client.getQueryData<ChannelRunProgress>(queryKey)
      const progress = await call(endpoint, { signal })
      const hasChanged = before?.done !== progress.done || before.is_running !== progress.is_running
      if (before && hasChanged) void client.invalidateQueries({ queryKey: LIST_KEY })
      return progress
    },
    refetchInterval: query => (query.state.data?.is_running ? PROGRESS_POLL_MS : false),
  })

export const testProgressQuery = progressQuery(TEST_PROGRESS_KEY, checks.getTestProgress)
export const balanceProgressQuery = progressQuery(BALANCE_PROGRESS_KEY, checks.getBalanceProgress)

/** The number of channels that `removeDisabled` would delete. */
export async function countDisabled(): Promise<number> {
  const totals = await Promise.all(
    [2, 3].map(status => callWithMeta(calls.listChannels, { query: { status, page_size: 1 } })),
  )
  return totals.reduce((sum, { meta }) => sum + meta.total, 0)
}

export const fetchModels = {
  saved: (id: number) => call(checks.fetchSavedModels, { params: { id }, timeoutMs: TEST_TIMEOUT_MS }),
  unsaved: (draft: {
    readonly type: number
    readonly key: string
    readonly base_url: string
    readonly other: string
  }) => call(checks.fetchUnsavedModels, { body: draft, timeoutMs: TEST_TIMEOUT_MS }),
}

/** One change of a series. The caller refreshes the lists after the last one. */
export const updateOne = (body: ChannelChange): Promise<Channel> => call(calls.updateChannel, { body })
