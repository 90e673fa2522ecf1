import * as calls from '#contract/channels/channel-endpoints.ts'
import * as checkCalls from '#contract/channels/channel-checks.ts'
import { listChannelTypes } from '../../db/channels.ts'
import type { ApiContext, ChannelTestResult } from '../context.ts'
import { handle, handleBoth, handleReply } from '../handle.ts'
import { checkAddress, keysOf } from './checked-channel.ts'
import { fetchModels } from './fetch-models.ts'
import { getChannelRow } from './read-channels.ts'
import { refuse } from './refuse.ts'
import { testAndJudge, testAndNote } from './test-channels.ts'
import { testUnsaved } from './test-unsaved.ts'
import { tellsBalance, updateAndJudge, updateBalance } from './update-balance.ts'
import { toUpstreamView } from './upstream-view.ts'

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
  ...handleBoth([calls.testChannel, checkCalls.testChannelByPost], async ({ params, query, ...context }) =>
    toReply(await testAndNote(params.id, { model: query.model, isStream: query.stream }, context)),
  ),
  handleReply(checkCalls.testUnsavedChannel, async ({ body, ...context }) =>
    toReply(await testUnsaved(body, context)),
  ),
  ...handleBoth(
    [calls.testChannels, checkCalls.testChannelsByPost],
    async ({ db, channelTests, language, ...context }) => {
      const ids = (await listChannelTypes(db)).filter(isTestedWithAll).map(({ id }) => id)
      if (!channelTests.start(ids, id => testAndJudge(id, { db, ...context }))) throw refuse('test_running')
      return { message: STARTED[language] }
    },
  ),
  handle(calls.getTestProgress, async ({ channelTests }) => channelTests.progress()),
]

const models = [
  handle(calls.fetchSavedModels, async ({ params, ...context }) => {
    const channel = await getChannelRow(context.db, params.id)
    const provider = getProvider(channel.type, context)
    return fetchModels(
      provider,
      toUpstreamView(channel, context.secrets.decrypt(channel.key_sealed), provider),
      context,
    )
  }),
  handle(calls.fetchUnsavedModels, async ({ body, ...context }) => {
    const provider = getProvider(body.type, context)
    checkAddress(body, provider)
    const [key] = keysOf(body.key, provider)
    if (key === undefined) throw refuse('key_needed')
    const channel = { ...body, id: 0, openai_organization: '', setting: '' }
    return fetchModels(provider, toUpstreamView(channel, key, provider), context)
  }),
]

const balances = [
  ...handleBoth(
    [calls.updateChannelBalance, checkCalls.updateChannelBalanceByPost],
    async ({ params, ...context }) => ({ beside: { balance: await updateBalance(params.id, context) } }),
  ),
  ...handleBoth(
    [calls.updateChannelBalances, checkCalls.updateChannelBalancesByPost],
    async ({ balanceUpdates, language, ...context }) => {
      const asked = (await listChannelTypes(context.db)).filter(channel => tellsBalance(channel, context))
      const inBackground = { ...context, signal: new AbortController().signal }
      const ids = asked.map(channel => channel.id)
      if (!balanceUpdates.start(ids, id => updateAndJudge(id, inBackground))) throw refuse('update_running')
      return { message: UPDATING[language] }
    },
  ),
  handle(calls.getBalanceProgress, async ({ balanceUpdates }) => balanceUpdates.progress()),
]

/** What asks vendors: tests, model lists, balances. */
export const checks = [...tests, ...models, ...balances]

const toReply = ({ ok, message, timeMs }: ChannelTestResult) => ({
  isSuccess: ok,
  message,
  beside: { time: Math.round(timeMs) / 1000 },
})

function getProvider(type: number, { registry }: Pick<ApiContext, 'registry'>) {
  const provider = registry.byType(type)
  if (!provider) throw refuse('unknown_type', { type })
  return provider
}
