import * as calls from '#contract/channel-calls.ts'
import { listEnabledModels } from '../../db/abilities.ts'
import {
  deleteChannels,
  listChannelIds,
  listChannelKinds,
  listNotEnabledIds,
  listTags,
  updateChannels,
} from '../../db/channels.ts'
import { inTransaction } from '../../db/database.ts'
import { bumpTopic } from '../../db/topics.ts'
import type { ApiContext } from '../context.ts'
import { handle, handleReply } from '../handle.ts'
import { changeChannel, changeTag } from './change-channel.ts'
import { toChannelType } from './channel-types.ts'
import { toChannel } from './channel-view.ts'
import { keysOf } from './checked-channel.ts'
import { fetchModels } from './fetch-models.ts'
import { listKnownModels } from './known-models.ts'
import { listPage } from './list-page.ts'
import { makeChannels } from './make-channels.ts'
import { getChannelRow } from './read-channels.ts'
import { changeChannels, rebuildAll } from './rebuild.ts'
import { refuse } from './refuse.ts'
import { testAndJudge, testAndNote } from './test-channels.ts'
import { tellsBalance, updateAndJudge, updateBalance } from './update-balance.ts'
import { toUpstreamView } from './upstream-view.ts'

const STATUS = { enabled: 1, disabled: 2 } as const
const ANY = { status: 0, type: 0, keyword: '', keyHash: '', model: '', group: '' }
const STARTED = {
  zh: '已成功开始测试所有通道，请刷新页面查看结果。',
  en: 'the test of all channels has begun',
}
const UPDATING = {
  zh: '已开始更新所有已启用通道的余额，请刷新页面查看结果。',
  en: 'updating the balances of all enabled channels has begun',
}

const listing = [
  handleReply(calls.listChannels, async ({ db, query, secrets }) => {
    const { rows, totals } = await listPage(db, query, secrets)
    return { data: rows.map(toChannel), beside: totals }
  }),
  handleReply(calls.searchChannels, async ({ db, query, secrets }) => {
    const { rows, totals } = await listPage(db, query, secrets)
    return { data: rows.map(toChannel), beside: totals }
  }),
  handle(calls.getChannel, async ({ db, params }) => toChannel(await getChannelRow(db, params.id))),
  handle(calls.listChannelModels, async ({ registry }) => listKnownModels(registry)),
  handle(calls.listEnabledModels, ({ db }) => listEnabledModels(db)),
  handle(calls.listChannelTags, async ({ db }) => (await listTags(db, ANY)).filter(tag => tag !== '')),
  handle(calls.listChannelTypes, async ({ registry }) => registry.all().map(toChannelType)),
]

const changing = [
  handle(calls.createChannels, async ({ body, ...context }) =>
    (await makeChannels(body, context)).map(toChannel),
  ),
  handle(calls.updateChannel, async ({ body, ...context }) => toChannel(await changeChannel(body, context))),
  handle(calls.updateTag, ({ body, db }) => changeTag(body, { db })),
  handle(calls.enableTag, ({ body, db }) => setTagStatus(db, body.tag, STATUS.enabled)),
  handle(calls.disableTag, ({ body, db }) => setTagStatus(db, body.tag, STATUS.disabled)),
  handle(calls.tagChannels, async ({ body: { ids, tag }, db }) => {
    const changed = await changeChannels(db, tx => updateChannels(tx, { ids }, { tag }))
    return changed.length
  }),
  handle(calls.fixChannels, ({ db }) => rebuildAll(db)),
]

const deleting = [
  handle(calls.deleteChannel, async ({ db, params }) => {
    if ((await remove(db, async () => [params.id])) === 0) throw refuse('unknown')
  }),
  handle(calls.deleteChannels, ({ db, body }) => remove(db, async () => body.ids)),
  handle(calls.deleteDisabledChannels, ({ db }) => remove(db, listNotEnabledIds)),
]

const asking = [
  handleReply(calls.testChannel, async ({ params, query, ...context }) => {
    const { ok, message, timeMs } = await testAndNote(params.id, query.model, context)
    return { isSuccess: ok, message, beside: { time: Math.round(timeMs) / 1000 } }
  }),
  handleReply(calls.testChannels, async ({ db, channelTests, language, ...context }) => {
    const ids = await listChannelIds(db)
    if (!channelTests.start(ids, id => testAndJudge(id, { db, ...context }))) throw refuse('test_running')
    return { message: STARTED[language] }
  }),
  handle(calls.getTestProgress, async ({ channelTests }) => channelTests.progress()),
  handle(calls.fetchSavedModels, async ({ params, ...context }) => {
    const channel = await getChannelRow(context.db, params.id)
    const provider = getProvider(channel.type, context)
    return fetchModels(
      provider,
      toUpstreamView(channel, context.secrets.open(channel.key_sealed), provider),
      context,
    )
  }),
  handle(calls.fetchUnsavedModels, async ({ body, ...context }) => {
    const provider = getProvider(body.type, context)
    const [key] = keysOf(body.key, provider)
    if (key === undefined) throw refuse('key_needed')
    const channel = { ...body, id: 0, openai_organization: '', setting: '' }
    return fetchModels(provider, toUpstreamView(channel, key, provider), context)
  }),
]

const balances = [
  handleReply(calls.updateChannelBalance, async ({ params, ...context }) => ({
    beside: { balance: await updateBalance(params.id, context) },
  })),
  handleReply(calls.updateChannelBalances, async ({ balanceUpdates, language, ...context }) => {
    const asked = (await listChannelKinds(context.db)).filter(channel => tellsBalance(channel, context))
    const inBackground = { ...context, signal: new AbortController().signal }
    const ids = asked.map(channel => channel.id)
    if (!balanceUpdates.start(ids, id => updateAndJudge(id, inBackground))) throw refuse('update_running')
    return { message: UPDATING[language] }
  }),
  handle(calls.getBalanceProgress, async ({ balanceUpdates }) => balanceUpdates.progress()),
]

export const routes = [...listing, ...changing, ...deleting, ...asking, ...balances]

function getProvider(type: number, { registry }: Pick<ApiContext, 'registry'>) {
  const provider = registry.byType(type)
  if (!provider) throw refuse('unknown_type', { type })
  return provider
}

async function setTagStatus(db: ApiContext['db'], tag: string, status: 1 | 2): Promise<void> {
  const columns = status === STATUS.enabled ? { status, other_info: '' } : { status }
  const changed = await changeChannels(db, tx => updateChannels(tx, { tag }, columns))
  if (changed.length === 0) throw refuse('unknown_tag')
}

const remove = (
  db: ApiContext['db'],
  choose: (tx: ApiContext['db']) => Promise<readonly number[]>,
): Promise<number> =>
  inTransaction(db, async tx => {
    const count = await deleteChannels(tx, await choose(tx))
    await bumpTopic(tx, 'channels')
    return count
  })
