import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { call, callWithMeta } from '#console/app/api/call.ts'
import { writeStoredJson } from '#console/app/preferences/local-store.ts'
import type { FoundRecord } from '#console/app/router/define-screen.ts'
import { type Language, useLanguage } from '#console/ui/text/text.ts'
import { listGroups } from '#contract/models.ts'
import { listChannelHealth } from '#features/channel-health/contract.ts'
import * as checks from '../contract/channel-checks.ts'
import * as calls from '../contract/channel-endpoints.ts'
import type { MatchingChannels } from '../contract/channel-matching.ts'
import type {
  Channel,
  ChannelChange,
  ChannelDraft,
  ChannelRunProgress,
  ChannelType,
  TagChange,
} from '../contract/channels.ts'
import { previewRoute } from '../contract/route-preview.ts'

export interface ChannelListQuery {
  /** Counts from 1. */
  readonly page: number
  readonly size: number
  readonly keyword: string
  readonly model: string
  readonly group: string
  /** 0 is any; the same for `type`. */
  readonly status: number
  readonly type: number
  readonly isById: boolean
  /** Pages are then pages of tags. */
  readonly isByTag: boolean
}

export interface ChannelListPage {
  readonly channels: readonly Channel[]
  readonly total: number | undefined
}

const TEST_TIMEOUT_MS = 120_000
const OPTIONS_STALE_MS = 30 * 60_000
const PROGRESS_POLL_MS = 1500
const ROUTE_POLL_MS = 5000

const LIST_KEY = ['channels', 'list']

export const channelsQuery = (query: ChannelListQuery) =>
  queryOptions({
    queryKey: [...LIST_KEY, query],
    queryFn: ({ signal }) => fetchPage(query, signal),
    placeholderData: keepPreviousData,
  })

async function fetchPage(query: ChannelListQuery, signal: AbortSignal): Promise<ChannelListPage> {
  const { keyword, model, group } = query
  const common = {
    p: query.page - 1,
    page_size: query.size,
    id_sort: query.isById,
    tag_mode: query.isByTag,
    status: query.status,
    type: query.type,
  }
  const isSearch = keyword !== '' || model !== '' || group !== ''
  const { data, meta } = isSearch
    ? await callWithMeta(calls.searchChannels, { query: { ...common, keyword, model, group }, signal })
    : await callWithMeta(calls.listChannels, { query: common, signal })
  return { channels: data, total: meta.total }
}

/** The conditions of the list, which select the channels that a change of all applies to. */
export const toMatching = ({ keyword, model, group, status, type }: ChannelListQuery): MatchingFilter => ({
  keyword,
  model,
  group,
  status,
  type,
})
export type MatchingFilter = MatchingChannels['filter']

const typeNamesQuery = (language: Language) =>
  queryOptions({
    queryKey: ['channels', 'type-names', language],
    queryFn: ({ signal }) => call(calls.listChannelTypeNames, { signal }),
    staleTime: OPTIONS_STALE_MS,
  })

export const typesQuery = queryOptions({
  queryKey: ['channels', 'types'],
  queryFn: ({ signal }) => call(calls.listChannelTypes, { signal }),
  staleTime: OPTIONS_STALE_MS,
})

export const groupsQuery = queryOptions({
  queryKey: ['all-groups'],
  queryFn: ({ signal }) => call(listGroups, { signal }),
  staleTime: OPTIONS_STALE_MS,
})

/** By channel id. Channels that were not called in the last 24 hours are absent. */
export const healthQuery = queryOptions({
  queryKey: ['channels', 'health'],
  queryFn: async ({ signal }) => {
    const found = await call(listChannelHealth, { signal })
    return new Map(found.map(health => [health.id, health]))
  },
  refetchInterval: 20_000,
})

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

const TEST_PROGRESS_KEY = ['channels', 'test-progress']
const BALANCE_PROGRESS_KEY = ['channels', 'balance-progress']

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

/** The state right after the start of a run. With it as the previous state, the first poll refreshes the lists even if the run has already finished. */
const STARTED_PROGRESS: ChannelRunProgress = {
  is_running: true,
  total: 0,
  done: 0,
  succeeded: 0,
  failed: 0,
  disabled: 0,
  enabled: 0,
  started_at: 0,
  finished_at: 0,
}

type TypeName = Pick<ChannelType, 'type' | 'name' | 'can_query_balance'>

/** The channel types of the list by number, with their names in the current language. */
export function useTypeNames(): ReadonlyMap<number, TypeName> {
  const { data: types = [] } = useQuery(typeNamesQuery(useLanguage()))
  return new Map(types.map(type => [type.type, type]))
}

/** The channel types by number, with their names in the current language. */
export function useChannelTypes(): ReadonlyMap<number, ChannelType> {
  const { data: types = [] } = useQuery(typesQuery)
  const isChinese = useLanguage() === 'zh'
  return new Map(types.map(type => [type.type, { ...type, name: isChinese ? type.name_zh : type.name }]))
}

interface ModelTestOptions {
  /** Empty: the test model of the channel, or its first model. */
  readonly model: string
  readonly isStreamed?: boolean
}

/** Sends a small request through a channel and returns the seconds it took. Throws the provider's error. */
export async function testModel(
  id: number,
  { model, isStreamed = false }: ModelTestOptions,
  signal?: AbortSignal,
): Promise<number> {
  const { meta } = await callWithMeta(checks.testChannel, {
    params: { id },
    query: { model, ...(isStreamed ? { stream: true } : {}) },
    timeoutMs: TEST_TIMEOUT_MS,
    ...(signal ? { signal } : {}),
  })
  return meta.time
}

interface OptimisticChange extends ChannelChange {
  readonly id: number
}

/** Mutations of one channel. `change` is optimistic: it is applied to the lists at once and rolled back on an error. */
export function useChannelMutations() {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (body: OptimisticChange) => call(calls.updateChannel, { body }),
    onMutate: body => {
      const before = client.getQueriesData<ChannelListPage>({ queryKey: LIST_KEY })
      patchChannel(client, body.id, channel => ({ ...channel, ...optimisticFields(body) }))
      return before
    },
    onError: (_error, _body, before) => {
      for (const [key, page] of before ?? []) client.setQueryData(key, page)
    },
    onSuccess: updated => patchChannel(client, updated.id, () => updated),
  })
  const test = useMutation({
    mutationFn: ({ id, model }: { readonly id: number; readonly model: string }) => testModel(id, { model }),
    onSettled: (_seconds, _error, { id }) => refreshChannel(client, id),
  })
  const allowModels = useMutation({
    mutationFn: ({ id, models }: { readonly id: number; readonly models: readonly string[] }) =>
      call(calls.allowModels, { params: { id }, body: { models: [...models] } }),
    onSuccess: updated => {
      patchChannel(client, updated.id, () => updated)
      client.setQueryData(channelQuery(updated.id).queryKey, updated)
    },
  })
  const queryBalance = useMutation({
    mutationFn: async (id: number) => {
      const { meta } = await callWithMeta(checks.updateFigures, {
        params: { id },
        timeoutMs: TEST_TIMEOUT_MS,
      })
      return meta.balance
    },
    onSettled: (_balance, _error, id) => refreshChannel(client, id),
  })
  return { change, test, allowModels, queryBalance, refresh: (id: number) => refreshChannel(client, id) }
}

function optimisticFields({ status, priority, weight }: OptimisticChange): Partial<Channel> {
  return {
    ...(status !== undefined && { status }),
    ...(priority !== undefined && { priority }),
    ...(weight !== undefined && { weight: Math.max(weight, 0) }),
  }
}

function patchChannel(client: QueryClient, id: number, change: (channel: Channel) => Channel): void {
  client.setQueriesData<ChannelListPage>(
    { queryKey: LIST_KEY },
    page =>
      page && {
        ...page,
        channels: page.channels.map(channel => (channel.id === id ? change(channel) : channel)),
      },
  )
}

/** Reads a channel again after the server has changed it, for example in a test. */
async function refreshChannel(client: QueryClient, id: number): Promise<void> {
  const channel = await call(calls.getChannel, { params: { id } }).catch(() => undefined)
  if (channel) patchChannel(client, id, () => channel)
}

/** Mutations that refresh every list afterwards. */
export function useListMutations() {
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: ['channels'] })
  const create = useMutation({
    meta: { isQuiet: true },
    mutationFn: (body: ChannelDraft) => call(calls.createChannels, { body }),
    onSettled,
  })
  const save = useMutation({
    meta: { isQuiet: true },
    mutationFn: (body: ChannelChange) => call(calls.updateChannel, { body }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: (ids: readonly number[]) => removeChannels(ids),
    onSettled,
  })
  const removeDisabled = useMutation({
    mutationFn: () => call(calls.deleteDisabledChannels, {}),
    onSettled,
  })
  const fix = useMutation({ mutationFn: () => call(calls.fixChannels, {}), onSettled })
  const testAll = useMutation({
    mutationFn: () => call(checks.testChannels, {}),
    onSuccess: () => client.setQueryData(TEST_PROGRESS_KEY, STARTED_PROGRESS),
    onSettled: () => client.invalidateQueries({ queryKey: TEST_PROGRESS_KEY }),
  })
  const queryBalances = useMutation({
    mutationFn: () => call(checks.updateBalances, {}),
    onSuccess: () => client.setQueryData(BALANCE_PROGRESS_KEY, STARTED_PROGRESS),
    onSettled: () => client.invalidateQueries({ queryKey: BALANCE_PROGRESS_KEY }),
  })
  return { create, save, remove, removeDisabled, fix, testAll, queryBalances, refreshAll: onSettled }
}

async function removeChannels(ids: readonly number[]): Promise<number> {
  const [only] = ids
  if (ids.length > 1 || only === undefined) return call(calls.deleteChannels, { body: { ids: [...ids] } })
  await call(calls.deleteChannel, { params: { id: only } })
  return 1
}

export function useTagMutations() {
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: ['channels'] })
  const update = useMutation({
    meta: { isQuiet: true },
    mutationFn: (body: TagChange) => call(calls.updateTag, { body }),
    onSettled,
  })
  const enable = useMutation({
    mutationFn: (tag: string) => call(calls.enableTag, { body: { tag } }),
    onSettled,
  })
  const disable = useMutation({
    mutationFn: (tag: string) => call(calls.disableTag, { body: { tag } }),
    onSettled,
  })
  const assign = useMutation({
    mutationFn: ({ ids, tag }: { readonly ids: readonly number[]; readonly tag: string }) =>
      call(calls.tagChannels, { body: { ids: [...ids], tag } }),
    onSettled,
  })
  return { update, enable, disable, assign }
}

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

const FOUND_MAX = 5

/** Channels with the id, the name or a part of it. */
export async function findChannels(keyword: string, signal: AbortSignal): Promise<readonly FoundRecord[]> {
  const channels = await call(calls.searchChannels, { query: { keyword, page_size: FOUND_MAX }, signal })
  return channels.map(({ id, name }) => ({ name, detail: `#${id}`, href: `/channel/edit/${id}` }))
}
