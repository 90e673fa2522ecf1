import * as endpoints from '#contract/channels/channel-endpoints.ts'
import * as checkEndpoints from '#contract/channels/channel-checks.ts'
import { listChannelTypes } from '../../db/channels/channels.ts'
import type { ApiContext, ChannelTestOutcome } from '../context.ts'
import { handle, handleGetAndPost, handleResult } from '../handle.ts'
import { checkBaseUrl, parseKeys } from './checked-channel.ts'
import { toProviderChannel, fetchModels } from './ask-upstream.ts'
import { getChannelRow } from './rebuild.ts'
import { channelError } from './refuse.ts'
import { testAndUpdateStatus, testAndRecord, testUnsaved } from './test-channels.ts'
import { hasBalanceQuery, updateBalanceAndStatus, updateBalance } from './update-balance.ts'

const STARTED = {
  zh: '已成功开始测试所有已启用通道，请刷新页面查看结果。',
  en: 'the test of all enabled channels has begun',
}
const UPDATING = {
  zh: '已开始更新所有已启用通道的余额，请刷新页面查看结果。',
  en: 'updating the balances of all enabled channels has begun',
}

const DISABLED = 2

/** Those that the gateway has disabled are tested too: that is how they come back. */
const isTestedWithAll = ({ status }: { readonly status: number }): boolean => status !== DISABLED

const tests = [
  ...handleGetAndPost([endpoints.testChannel, checkEndpoints.testChannelByPost], async ({ params, query, ...context }) =>
    toReply(await testAndRecord(params.id, { model: query.model, isStream: query.stream }, context)),
  ),
  handleResult(checkEndpoints.testUnsavedChannel, async ({ body, ...context }) =>
    toReply(await testUnsaved(body, context)),
  ),
  ...handleGetAndPost(
    [endpoints.testChannels, checkEndpoints.testChannelsByPost],
    async ({ db, channelTests, language, ...context }) => {
      const ids = (await listChannelTypes(db)).filter(isTestedWithAll).map(({ id }) => id)
      if (!channelTests.start(ids, id => testAndUpdateStatus(id, { db, ...context }))) throw channelError('test_running')
      return { message: STARTED[language] }
    },
  ),
  handle(endpoints.getTestProgress, async ({ channelTests }) => channelTests.progress()),
]

const models = [
  handle(endpoints.fetchSavedModels, async ({ params, ...context }) => {
    const channel = await getChannelRow(context.db, params.id)
    const provider = getProvider(channel.type, context)
    return fetchModels(
      provider,
      toProviderChannel(channel, context.secrets.decrypt(channel.key_sealed), provider),
      context,
    )
  }),
  handle(endpoints.fetchUnsavedModels, async ({ body, ...context }) => {
    const provider = getProvider(body.type, context)
    checkBaseUrl(body, provider)
    const [key] = parseKeys(body.key, provider)
    if (key === undefined) throw channelError('key_needed')
    const channel = { ...body, id: 0, openai_organization: '', setting: '' }
    return fetchModels(provider, toProviderChannel(channel, key, provider), context)
  }),
]

const balances = [
  ...handleGetAndPost(
    [endpoints.updateChannelBalance, checkEndpoints.updateChannelBalanceByPost],
    async ({ params, ...context }) => ({ meta: { balance: await updateBalance(params.id, context) } }),
  ),
  ...handleGetAndPost(
    [endpoints.updateChannelBalances, checkEndpoints.updateChannelBalancesByPost],
    async ({ balanceUpdates, language, ...context }) => {
      const asked = (await listChannelTypes(context.db)).filter(channel => hasBalanceQuery(channel, context))
      const inBackground = { ...context, signal: new AbortController().signal }
      const ids = asked.map(channel => channel.id)
      if (!balanceUpdates.start(ids, id => updateBalanceAndStatus(id, inBackground))) throw channelError('update_running')
      return { message: UPDATING[language] }
    },
  ),
  handle(endpoints.getBalanceProgress, async ({ balanceUpdates }) => balanceUpdates.progress()),
]

/** What asks vendors: tests, model lists, balances. */
export const checks = [...tests, ...models, ...balances]

const toReply = ({ ok, message, timeMs }: ChannelTestOutcome) => ({
  isSuccess: ok,
  message,
  beside: { time: Math.round(timeMs) / 1000 },
})

function getProvider(type: number, { registry }: Pick<ApiContext, 'registry'>) {
  const provider = registry.byType(type)
  if (!provider) throw channelError('unknown_type', { type })
  return provider
}
