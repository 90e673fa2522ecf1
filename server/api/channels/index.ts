import { updateChannelsBatch as changeMany } from '#contract/channels/channel-endpoints.ts'
import * as endpoints from '#contract/channels/channel-endpoints.ts'
import { previewRoute } from '#contract/channels/route-preview.ts'
import { nowSeconds } from '../../core/clock.ts'
import { listEnabledModels } from '../../db/channels/abilities.ts'
import { deleteChannels, listDisabledChannelIds, listTags, updateChannels } from '../../db/channels/channels.ts'
import { countOutcomesByChannel } from '../../db/usage/count-outcomes-by-channel.ts'
import { inTransaction } from '../../db/engine/database.ts'
import { bumpVersion } from '../../db/engine/cached-value.ts'
import type { ApiContext } from '../context.ts'
import { handle, handleResult, forEachRow } from '../handle.ts'
import { updateChannel, updateTag } from './change-channel.ts'
import { toChannel, toChannelType, toRoutePreview, listKnownModels } from './channel-view.ts'
import { checks } from './checks.ts'
import { listChannelPage } from './list-page.ts'
import { createChannels } from './make-channels.ts'
import { writeChannels, rebuildAbilities, getChannelRow } from './rebuild.ts'
import { channelError } from './refuse.ts'

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
  handleResult(endpoints.listChannels, async ({ db, query, secrets }) => {
    const { rows, totals } = await listChannelPage(db, query, secrets)
    return { data: rows.map(toChannel), meta: totals }
  }),
  handleResult(endpoints.searchChannels, async ({ db, query, secrets }) => {
    const { rows, totals } = await listChannelPage(db, query, secrets)
    return { data: rows.map(toChannel), meta: totals }
  }),
  handle(previewRoute, async ({ query: { group, model }, previewRoute: preview }) =>
    toRoutePreview(await preview({ group: group || DEFAULT_GROUP, model })),
  ),
  handle(endpoints.getChannel, async ({ db, params }) => toChannel(await getChannelRow(db, params.id))),
  handle(endpoints.listChannelOutcomes, ({ db }) => countOutcomesByChannel(db, lastDay())),
  handle(endpoints.listChannelModels, async ({ registry }) => listKnownModels(registry)),
  handle(endpoints.listEnabledModels, ({ db }) => listEnabledModels(db)),
  handle(endpoints.listChannelTags, async ({ db }) => (await listTags(db, ANY)).filter(tag => tag !== '')),
  handle(endpoints.listChannelTypes, async ({ registry }) => registry.all().map(toChannelType)),
]

const changing = [
  handle(endpoints.createChannels, async ({ body, ...context }) =>
    (await createChannels(body, context)).map(toChannel),
  ),
  handle(endpoints.updateChannel, async ({ body, ...context }) => toChannel(await updateChannel(body, context))),
  handle(changeMany, ({ body: { ids, ...change }, ...context }) =>
    forEachRow(ids, context, id => updateChannel({ ...change, id }, context)),
  ),
  handle(endpoints.updateTag, ({ body, db }) => updateTag(body, { db })),
  handle(endpoints.enableTag, ({ body, db }) => setTagStatus(db, body.tag, STATUS.enabled)),
  handle(endpoints.disableTag, ({ body, db }) => setTagStatus(db, body.tag, STATUS.disabled)),
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
  handle(endpoints.deleteDisabledChannels, ({ db }) => remove(db, listDisabledChannelIds)),
]

export const routes = [...listing, ...changing, ...deleting, ...checks]

async function setTagStatus(db: ApiContext['db'], tag: string, status: 1 | 2): Promise<void> {
  const columns = status === STATUS.enabled ? { status, other_info: '' } : { status }
  const changed = await writeChannels(db, tx => updateChannels(tx, { tag }, columns))
  if (changed.length === 0) throw channelError('unknown_tag')
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
