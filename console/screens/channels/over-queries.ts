import { queryOptions } from '@tanstack/react-query'
import * as calls from '#contract/channel-calls.ts'
import type { Channel, ChannelChange, TestProgress } from '#contract/channels.ts'
import { previewRoute } from '#contract/route-preview.ts'
import { call, callWhole } from '../../app/call.ts'
import { writeStoredJson } from '../../app/local-store.ts'
import { BALANCES, LISTS, PROGRESS, SLOW_CHANGE_MS, TEST_MS_MAX } from './queries.ts'

const PROGRESS_EVERY_MS = 1500
const ROUTE_EVERY_MS = 5000

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

/** Every model name that is known here; kept under `channel_models`. */
export const modelsQuery = queryOptions({
  queryKey: ['channelModels'],
  queryFn: async ({ signal }) => {
    const models = (await call(calls.listChannelModels, { signal })).map(model => model.id)
    writeStoredJson('channel_models', models)
    return models
  },
  staleTime: SLOW_CHANGE_MS,
})

/** Models that some enabled channel serves. */
export const enabledModelsQuery = queryOptions({
  queryKey: ['channels', 'enabled-models'],
  queryFn: ({ signal }) => call(calls.listEnabledModels, { signal }),
})

/** What would happen to a request. It changes with the health of the channels: never taken from memory. */
export const routeQuery = (model: string, group: string) =>
  queryOptions({
    queryKey: ['channels', 'route', model, group],
    queryFn: ({ signal }) => call(previewRoute, { query: { model, group }, signal }),
    staleTime: 0,
    refetchInterval: ROUTE_EVERY_MS,
  })

type Endpoint = typeof calls.getTestProgress | typeof calls.getBalanceProgress

/** Asked again while a run is under way; the lists follow each channel that is done. */
const progressQuery = (queryKey: readonly string[], endpoint: Endpoint) =>
  queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => {
      const before = client.getQueryData<TestProgress>(queryKey)
      const progress = await call(endpoint, { signal })
      const isNews = before?.done !== progress.done || before.is_running !== progress.is_running
      if (before && isNews) void client.invalidateQueries({ queryKey: LISTS })
      return progress
    },
    refetchInterval: query => (query.state.data?.is_running ? PROGRESS_EVERY_MS : false),
  })

export const testProgressQuery = progressQuery(PROGRESS, calls.getTestProgress)
export const balanceProgressQuery = progressQuery(BALANCES, calls.getBalanceProgress)

/** How many channels `deleteDisabled` would delete now. */
export async function countDisabled(): Promise<number> {
  const totals = await Promise.all(
    [2, 3].map(status => callWhole(calls.listChannels, { query: { status, page_size: 1 } })),
  )
  return totals.reduce((sum, { beside }) => sum + beside.total, 0)
}

export const fetchModels = {
  saved: (id: number) => call(calls.fetchSavedModels, { params: { id }, timeoutMs: TEST_MS_MAX }),
  unsaved: (draft: {
    readonly type: number
    readonly key: string
    readonly base_url: string
    readonly other: string
  }) => call(calls.fetchUnsavedModels, { body: draft, timeoutMs: TEST_MS_MAX }),
}

/** One of a series of changes; the series reads the lists again at its end. */
export const changeOne = (body: ChannelChange): Promise<Channel> => call(calls.updateChannel, { body })
