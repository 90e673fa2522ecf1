import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import * as calls from '#contract/channel-calls.ts'
import type { Channel, ChannelChange, ChannelDraft, ChannelType, TagChange } from '#contract/channels.ts'
import { listGroups } from '#contract/models.ts'
import { call, callWhole } from '../../app/call.ts'
import { useLanguage } from '../../ui/text.ts'
import { JUST_BEGUN } from './just-begun.ts'

export interface ChannelListQuery {
  /** Counts from 1. */
  readonly page: number
  readonly size: number
  readonly keyword: string
  readonly model: string
  readonly group: string
  /** 0 any. */
  readonly status: number
  readonly type: number
  readonly isById: boolean
  /** A page is then a page of tags. */
  readonly isByTag: boolean
}

export interface ChannelPage {
  readonly channels: readonly Channel[]
  readonly total: number | undefined
}

export const TEST_MS_MAX = 120_000
export const SLOW_CHANGE_MS = 30 * 60_000
export const LISTS = ['channels', 'list']

export const channelsQuery = (query: ChannelListQuery) =>
  queryOptions({
    queryKey: [...LISTS, query],
    queryFn: ({ signal }) => fetchPage(query, signal),
    placeholderData: keepPreviousData,
  })

async function fetchPage(query: ChannelListQuery, signal: AbortSignal): Promise<ChannelPage> {
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
  const { data, beside } = isSearch
    ? await callWhole(calls.searchChannels, { query: { ...common, keyword, model, group }, signal })
    : await callWhole(calls.listChannels, { query: common, signal })
  return { channels: data, total: beside.total }
}

export const typesQuery = queryOptions({
  queryKey: ['channels', 'types'],
  queryFn: ({ signal }) => call(calls.listChannelTypes, { signal }),
  staleTime: SLOW_CHANGE_MS,
})

export const groupsQuery = queryOptions({
  queryKey: ['all-groups'],
  queryFn: ({ signal }) => call(listGroups, { signal }),
  staleTime: SLOW_CHANGE_MS,
})

/** What became of the requests of the last 24 hours, by channel id. Channels without requests are absent. */
export const healthQuery = queryOptions({
  queryKey: ['channels', 'health'],
  queryFn: async ({ signal }) => {
    const outcomes = await call(calls.listChannelOutcomes, { signal })
    return new Map(outcomes.map(outcome => [outcome.id, outcome]))
  },
})

export const PROGRESS = ['channels', 'test-progress']
export const BALANCES = ['channels', 'balance-progress']

/** The vendors by type number, each with its name in the reader's language. */
export function useTypes(): ReadonlyMap<number, ChannelType> {
  const { data: types = [] } = useQuery(typesQuery)
  const isChinese = useLanguage() === 'zh'
  return new Map(types.map(type => [type.type, { ...type, name: isChinese ? type.name_zh : type.name }]))
}

/** Sends one small request through a channel and gives the seconds it took. Throws with the vendor's reason. */
export interface WantedTest {
  /** Empty: the channel's test model, else its first. */
  readonly model: string
  readonly isStreamed?: boolean
}

export async function testModel(
  id: number,
  { model, isStreamed = false }: WantedTest,
  signal?: AbortSignal,
): Promise<number> {
  const { beside } = await callWhole(calls.testChannel, {
    params: { id },
    query: { model, ...(isStreamed ? { stream: true } : {}) },
    timeoutMs: TEST_MS_MAX,
    ...(signal ? { signal } : {}),
  })
  return beside.time
}

export interface OptimisticChange extends ChannelChange {
  readonly id: number
}

/** Changes single channels. `change` is shown before the server has answered, and taken back when it refuses. */
export function useChannelWrites() {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (body: OptimisticChange) => call(calls.updateChannel, { body }),
    onMutate: body => {
      const before = client.getQueriesData<ChannelPage>({ queryKey: LISTS })
      patch(client, body.id, channel => ({ ...channel, ...shownAtOnce(body) }))
      return before
    },
    onError: (_error, _body, before) => {
      for (const [key, page] of before ?? []) client.setQueryData(key, page)
    },
    onSuccess: answer => patch(client, answer.id, () => answer),
  })
  const test = useMutation({
    mutationFn: ({ id, model }: { readonly id: number; readonly model: string }) => testModel(id, { model }),
    onSettled: (_seconds, _error, { id }) => refreshChannel(client, id),
  })
  const askBalance = useMutation({
    mutationFn: async (id: number) => {
      const { beside } = await callWhole(calls.updateChannelBalance, {
        params: { id },
        timeoutMs: TEST_MS_MAX,
      })
      return beside.balance
    },
    onSettled: (_balance, _error, id) => refreshChannel(client, id),
  })
  return { change, test, askBalance, refresh: (id: number) => refreshChannel(client, id) }
}

function shownAtOnce({ status, priority, weight }: OptimisticChange): Partial<Channel> {
  return {
    ...(status !== undefined && { status }),
    ...(priority !== undefined && { priority }),
    ...(weight !== undefined && { weight: Math.max(weight, 0) }),
  }
}

function patch(client: QueryClient, id: number, change: (channel: Channel) => Channel): void {
  client.setQueriesData<ChannelPage>(
    { queryKey: LISTS },
    page =>
      page && {
        ...page,
        channels: page.channels.map(channel => (channel.id === id ? change(channel) : channel)),
      },
  )
}

/** A test changes the channel on the server: its row follows. */
async function refreshChannel(client: QueryClient, id: number): Promise<void> {
  const channel = await call(calls.getChannel, { params: { id } }).catch(() => undefined)
  if (channel) patch(client, id, () => channel)
}

/** Writes after which every list is read again. */
export function useListWrites() {
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
    mutationFn: () => call(calls.testChannels, {}),
    onSuccess: () => client.setQueryData(PROGRESS, JUST_BEGUN),
    onSettled: () => client.invalidateQueries({ queryKey: PROGRESS }),
  })
  const askBalances = useMutation({
    mutationFn: () => call(calls.updateChannelBalances, {}),
    onSuccess: () => client.setQueryData(BALANCES, JUST_BEGUN),
    onSettled: () => client.invalidateQueries({ queryKey: BALANCES }),
  })
  return { create, save, remove, removeDisabled, fix, testAll, askBalances, refreshAll: onSettled }
}

async function removeChannels(ids: readonly number[]): Promise<number> {
  const [only] = ids
  if (ids.length > 1 || only === undefined) return call(calls.deleteChannels, { body: { ids: [...ids] } })
  await call(calls.deleteChannel, { params: { id: only } })
  return 1
}

export function useTagWrites() {
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
