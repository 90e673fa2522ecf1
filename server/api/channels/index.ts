import { changeChannels as changeMany } from '#contract/channels/channel-batches.ts'
import * as calls from '#contract/channels/channel-endpoints.ts'
import { previewRoute } from '#contract/channels/route-preview.ts'
import { nowSeconds } from '../../core/clock.ts'
import { listEnabledModels } from '../../db/abilities.ts'
import { deleteChannels, listDisabledChannelIds, listTags, updateChannels } from '../../db/channels.ts'
import { countOutcomesByChannel } from '../../db/count-outcomes-by-channel.ts'
import { inTransaction } from '../../db/database.ts'
import { bumpVersion } from '../../db/topics.ts'
import type { ApiContext } from '../context.ts'
import { eachRow } from '../each-row.ts'
import { handle, handleReply } from '../handle.ts'
import { changeChannel, changeTag } from './change-channel.ts'
import { toChannelType } from './channel-types.ts'
import { toChannel } from './channel-view.ts'
import { checks } from './checks.ts'
import { listKnownModels } from './known-models.ts'
import { listPage } from './list-page.ts'
import { makeChannels } from './make-channels.ts'
import { getChannelRow } from './read-channels.ts'
import { changeChannels, rebuildAll } from './rebuild.ts'
import { refuse } from './refuse.ts'
import { toRoutePreview } from './route-preview-view.ts'

const STATUS = { enabled: 1, disabled: 2 } as const
const DEFAULT_GROUP = 'default'
const ANY = { status: 0, type: 0, keyword: '', keyHash: '', model: '', group: '' }

const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS

/** The last 24 hours, with the hour in which they begin and the one that runs. */
const lastDay = () => {
  const until = (Math.floor(nowSeconds() / HOUR_SECONDS) + 1) * HOUR_SECONDS
  return { from: until - DAY_SECONDS - HOUR_SECONDS, until }
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
  handle(previewRoute, async ({ query: { group, model }, previewRoute: preview }) =>
    toRoutePreview(await preview({ group: group || DEFAULT_GROUP, model })),
  ),
  handle(calls.getChannel, async ({ db, params }) => toChannel(await getChannelRow(db, params.id))),
  handle(calls.listChannelOutcomes, ({ db }) => countOutcomesByChannel(db, lastDay())),
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
  handle(changeMany, ({ body: { ids, ...change }, ...context }) =>
    eachRow(ids, context, id => changeChannel({ ...change, id }, context)),
  ),
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
  handle(calls.deleteDisabledChannels, ({ db }) => remove(db, listDisabledChannelIds)),
]

export const routes = [...listing, ...changing, ...deleting, ...checks]

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
    await bumpVersion(tx, 'channels')
    return count
  })
