import { type AnyEndpoint, type DataOf, MATCHING_ROWS_MAX, type MetaOf } from '#contract/endpoint.ts'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { changeMatching } from '#server/api/change-matching.ts'
import type { ApiContext } from '#server/api/context.ts'
import {
  forEachRow,
  type HandlerInput,
  type HandlerResult,
  handle,
  handleResult,
  type Route,
} from '#server/api/handle.ts'
import { listEnabledModels } from '#server/db/channels/abilities.ts'
import { bumpVersion } from '#server/db/engine/cached-value.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { defineFeature, type Feature, type Services } from '#server/feature.ts'
import * as checkEndpoints from '../contract/channel-checks.ts'
import * as endpoints from '../contract/channel-endpoints.ts'
import * as matching from '../contract/channel-matching.ts'
import { previewRoute } from '../contract/route-preview.ts'
import { hasBalanceQuery, updateBalance, updateBalanceAndStatus } from './balance.ts'
import { checkBaseUrl, parseKeys } from './channel-input.ts'
import { type ChannelRun, createChannelRun } from './channel-run.ts'
import {
  type ChannelTester,
  type ChannelTestOutcome,
  type ChannelTools,
  createChannelTools,
  type PreviewRoute,
} from './channel-tools.ts'
import { createChannels } from './create.ts'
import { channelError } from './errors.ts'
import { listChannelPage, toFilter } from './list.ts'
import { getChannelRow, rebuildAbilities, writeChannels } from './models/abilities.ts'
import { allowModels, logReviewed } from './models/allow-again.ts'
import {
  deleteChannels,
  listChannelIds,
  listChannelTypes,
  listDisabledChannelIds,
  listTags,
  updateChannels,
} from './queries/channels.ts'
import { testAndRecord, testAndUpdateStatus, testUnsaved } from './test.ts'
import { updateChannel, updateManyChannels, updateTag } from './update.ts'
import { fetchModels, toProviderChannel } from './upstream.ts'
import { listKnownModels, toChannel, toChannelType, toRoutePreview } from './view.ts'

/** Routes of channels: reading, changing and deleting them, and everything that calls their providers. */
const DEFAULT_GROUP = 'default'
const NO_FILTER = { status: 0, type: 0, keyword: '', keyHash: '', model: '', group: '' }

const reading = [
  handleResult(endpoints.listChannels, async ({ reader, query, secrets, ...context }) => {
    const { rows, totals } = await listChannelPage(reader, query, secrets)
    return { data: rows.map(row => toChannel(row, context)), meta: totals }
  }),
  handleResult(endpoints.searchChannels, async ({ reader, query, secrets, ...context }) => {
    const { rows, totals } = await listChannelPage(reader, query, secrets)
    return { data: rows.map(row => toChannel(row, context)), meta: totals }
  }),
  handle(endpoints.getChannel, async ({ db, params, ...context }) =>
    toChannel(await getChannelRow(db, params.id), context),
  ),
  handle(endpoints.listChannelModels, async ({ registry }) => listKnownModels(registry)),
  handle(endpoints.listEnabledModels, ({ reader }) => listEnabledModels(reader)),
  handle(endpoints.listChannelTags, async ({ reader }) =>
    (await listTags(reader, NO_FILTER)).filter(tag => tag !== ''),
  ),
  handle(endpoints.listChannelTypes, async ({ registry }) => registry.all().map(toChannelType)),
  handle(endpoints.listChannelTypeNames, async ({ registry, language }) =>
    registry
      .all()
      .map(toChannelType)
      .map(({ type, name, name_zh, can_query_balance }) => ({
        type,
        name: language === 'zh' ? name_zh : name,
        can_query_balance,
      })),
  ),
]

const writing = [
  handle(endpoints.createChannels, async ({ body, ...context }) =>
    (await createChannels(body, context)).map(row => toChannel(row, context)),
  ),
  handle(endpoints.updateChannel, async ({ body, ...context }) =>
    toChannel(await updateChannel(body, context), context),
  ),
  handle(endpoints.updateChannelsBatch, ({ body: { ids, ...change }, ...context }) =>
    forEachRow(ids, context, id => updateChannel({ ...change, id }, context)),
  ),
  handle(matching.updateMatchingChannels, ({ body: { filter, count, ...change }, ...context }) => {
    const write = (tx: Database, ids: readonly number[]) =>
      updateManyChannels(ids, change, { ...context, db: tx })
    return changeMatching(
      { count, listIds: listMatchingIds(filter, context.secrets), change: write },
      context,
    )
  }),
  handle(endpoints.updateTag, ({ body, db }) => updateTag(body, { db })),
  handle(endpoints.allowModels, async ({ params, body, ...context }) =>
    toChannel(await allowModels({ id: params.id, models: body.models }, context), context),
  ),
  handle(endpoints.enableTag, ({ body, ...context }) =>
    setTagStatus(body.tag, CHANNEL_STATUS.enabled, context),
  ),
  handle(endpoints.disableTag, ({ body, ...context }) =>
    setTagStatus(body.tag, CHANNEL_STATUS.disabled, context),
  ),
  handle(endpoints.tagChannels, async ({ body: { ids, tag }, db }) => {
    const changed = await writeChannels(db, tx => updateChannels(tx, { ids }, { tag }))
    return changed.length
  }),
  handle(endpoints.fixChannels, ({ db }) => rebuildAbilities(db)),
]

const deleting = [
  handle(endpoints.deleteChannel, async ({ db, params }) => {
    if ((await remove(db, async () => [params.id])) === 0) throw channelError('unknown')
  }),
  handle(endpoints.deleteChannels, ({ db, body }) => remove(db, async () => body.ids)),
  handle(matching.deleteMatchingChannels, ({ body: { filter, count }, ...context }) => {
    const write = (tx: Database, ids: readonly number[]) => remove(tx, async () => ids)
    return changeMatching(
      { count, listIds: listMatchingIds(filter, context.secrets), change: write },
      context,
    )
  }),
  handle(endpoints.deleteDisabledChannels, ({ db }) => remove(db, listDisabledChannelIds)),
]

const listMatchingIds =
  (filter: matching.MatchingChannels['filter'], secrets: ApiContext['secrets']) =>
  (db: Database, ids?: readonly number[]): Promise<number[]> =>
    listChannelIds(db, toFilter(filter, secrets), { limit: MATCHING_ROWS_MAX + 1, ids })

async function setTagStatus(
  tag: string,
  status: 1 | 2,
  { db, ...context }: Pick<ApiContext, 'db' | 'caller' | 'requestId'>,
): Promise<void> {
  const isEnabling = status === CHANNEL_STATUS.enabled
  const changed = await writeChannels(db, async tx => {
    if (isEnabling) await logReviewed(tx, { tag }, context)
    return updateChannels(tx, { tag }, { status, ...(isEnabling && { other_info: '' }) })
  })
  if (changed.length === 0) throw channelError('unknown_tag')
}

const remove = (
  db: ApiContext['db'],
  selectIds: (tx: ApiContext['db']) => Promise<readonly number[]>,
): Promise<number> =>
  inTransaction(db, async tx => {
    const count = await deleteChannels(tx, await selectIds(tx))
    await bumpVersion(tx, 'channels')
    return count
  })

const TESTS_STARTED = {
  zh: '已开始测试所有已启用的渠道，请刷新页面查看结果。',
  en: 'the test of all enabled channels has started',
}

const UPDATES_STARTED = {
  zh: '已开始更新所有已启用渠道的余额，请刷新页面查看结果。',
  en: 'the update of the balances of all enabled channels has started',
}

/** Automatically disabled channels are tested too: a successful test enables them again. */
const isTestable = ({ status }: { readonly status: number }): boolean => status !== CHANNEL_STATUS.disabled

const previews = (preview: PreviewRoute): readonly Route[] => [
  handle(previewRoute, async ({ query: { group, model }, language }) =>
    toRoutePreview(await preview({ group: group || DEFAULT_GROUP, model }), language),
  ),
]

const tests = (channelTester: ChannelTester, channelTests: ChannelRun): readonly Route[] => [
  ...handleGetAndPost(
    [checkEndpoints.testChannel, checkEndpoints.testChannelByPost],
    async ({ params, query, ...context }) => {
      const options = { model: query.model, isStream: query.stream }
      return toTestResult(await testAndRecord(params.id, options, { ...context, channelTester }), context)
    },
  ),
  handleResult(checkEndpoints.testUnsavedChannel, async ({ body, ...context }) =>
    toTestResult(await testUnsaved(body, { ...context, channelTester }), context),
  ),
  handle(checkEndpoints.probeUsage, async ({ params, body, db }) => {
    await getChannelRow(db, params.id)
    const { model, requests, findings } = await channelTester.probeUsage(params.id, body.model)
    return {
      model,
      requests: requests.map(({ prompt, cached, completion, reasoning }) => ({
        prompt_tokens: prompt,
        cached_tokens: cached,
        completion_tokens: completion,
        reasoning_tokens: reasoning,
      })),
      findings,
    }
  }),
  ...handleGetAndPost(
    [checkEndpoints.testChannels, checkEndpoints.testChannelsByPost],
    async ({ db, language, ...context }) => {
      const ids = (await listChannelTypes(db)).filter(isTestable).map(({ id }) => id)
      if (!channelTests.start(ids, id => testAndUpdateStatus(id, { db, ...context, channelTester })))
        throw channelError('test_running')
      return { message: TESTS_STARTED[language] }
    },
  ),
  handle(checkEndpoints.getTestProgress, async () => channelTests.progress()),
]

const models = [
  handle(checkEndpoints.fetchSavedModels, async ({ params, ...context }) => {
    const channel = await getChannelRow(context.db, params.id)
    const provider = getProvider(channel.type, context)
    return fetchModels(
      provider,
      toProviderChannel(channel, context.secrets.decrypt(channel.key_sealed), provider),
      context,
    )
  }),
  handle(checkEndpoints.fetchUnsavedModels, async ({ body, ...context }) => {
    const provider = getProvider(body.type, context)
    checkBaseUrl(body, provider)
    const [key] = parseKeys(body.key, provider)
    if (key === undefined) throw channelError('key_needed')
    const channel = { ...body, id: 0, openai_organization: '', setting: '' }
    return fetchModels(provider, toProviderChannel(channel, key, provider), context)
  }),
]

const balances = (balanceUpdates: ChannelRun): readonly Route[] => [
  ...handleGetAndPost(
    [checkEndpoints.updateFigures, checkEndpoints.updateFiguresByPost],
    async ({ params, ...context }) => ({ meta: { balance: await updateBalance(params.id, context) } }),
  ),
  handle(checkEndpoints.readBalance, async ({ params, ...context }) => {
    await updateBalance(params.id, context)
  }),
  ...handleGetAndPost(
    [checkEndpoints.updateBalances, checkEndpoints.updateBalancesByPost],
    async ({ language, ...context }) => {
      const channels = (await listChannelTypes(context.db)).filter(channel =>
        hasBalanceQuery(channel, context),
      )
      // The run outlives this request, so it must not end with the request's signal.
      const background = { ...context, signal: new AbortController().signal }
      const ids = channels.map(channel => channel.id)
      if (!balanceUpdates.start(ids, id => updateBalanceAndStatus(id, background)))
        throw channelError('update_running')
      return { message: UPDATES_STARTED[language] }
    },
  ),
  handle(checkEndpoints.getBalanceProgress, async () => balanceUpdates.progress()),
]

const toTestResult = (
  { ok, message, timeMs }: ChannelTestOutcome,
  { language }: Pick<ApiContext, 'language'>,
) => ({
  isSuccess: ok,
  message: message[language],
  meta: { time: Math.round(timeMs) / 1000 },
})

function getProvider(type: number, { registry }: Pick<ApiContext, 'registry'>) {
  const provider = registry.byType(type)
  if (!provider) throw channelError('unknown_type', { type })
  return provider
}

/** Exported for tests, which put other tools in the place of the request pipeline. */
export const createChannelsFeature = (createTools: (services: Services) => ChannelTools): Feature => ({
  start(services) {
    const { channelTester, previewRoute: preview } = createTools(services)
    const channelTests = createChannelRun(services.log)
    const balanceUpdates = createChannelRun(services.log)
    return {
      routes: [
        ...previews(preview),
        ...reading,
        ...writing,
        ...deleting,
        ...tests(channelTester, channelTests),
        ...models,
        ...balances(balanceUpdates),
      ],
      stop: async () => void (await Promise.all([channelTests.stop(), balanceUpdates.stop()])),
    }
  },
})

export const feature = defineFeature(
  createChannelsFeature(({ relayContext }) => createChannelTools(relayContext)),
)

/** Like `handleResult`, for an endpoint with two methods. */
export const handleGetAndPost = <E extends AnyEndpoint>(
  endpoints: readonly [E, E],
  work: (input: HandlerInput<E>) => Promise<HandlerResult<DataOf<E>, MetaOf<E>> | Response>,
): readonly Route[] => endpoints.map(endpoint => handleResult(endpoint, work))
