import type { ExpressionBuilder, Insertable, Selectable } from 'kysely'
import { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { bumpVersion } from '../engine/cached-value.ts'
import { type Database, inTransaction } from '../engine/database.ts'
import type { ChannelTable, Tables } from '../engine/tables.ts'
import { contains, listContains } from '../engine/text.ts'

export type ChannelRow = Selectable<ChannelTable>
export type NewChannel = Insertable<ChannelTable>
export type ChannelUpdate = Partial<Omit<ChannelRow, 'id' | 'used_quota' | 'created_time'>>

/** 0 and empty strings match every channel. */
export interface ChannelFilter {
  readonly status: number
  readonly type: number
  /** An id, part of the name, or, by `keyHash`, a complete key. */
  readonly keyword: string
  readonly keyHash: string
  readonly model: string
  readonly group: string
}

export interface ChannelPage {
  readonly offset: number
  readonly limit: number
  /** Newest first instead of highest priority first. */
  readonly isById: boolean
}

export function listChannels(db: Database, filter: ChannelFilter, page: ChannelPage): Promise<ChannelRow[]> {
  const { offset, limit, isById } = page
  const found = db
    .selectFrom('channels')
    .selectAll()
    .where(where => matches(where, filter))
  const ordered = isById ? found : found.orderBy('priority', 'desc')
  return ordered.orderBy('id', 'desc').offset(offset).limit(limit).execute()
}

export async function countChannels(db: Database, filter: ChannelFilter): Promise<number> {
  const { count } = await db
    .selectFrom('channels')
    .select(select => select.fn.countAll<number>().as('count'))
    .where(where => matches(where, filter))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The ids of the matching channels, at most `limit`; with `ids`, of those among them. */
export async function listChannelIds(
  db: Database,
  filter: ChannelFilter,
  { limit, ids }: { readonly limit: number; readonly ids?: readonly number[] | undefined },
): Promise<number[]> {
  const found = db
    .selectFrom('channels')
    .select('id')
    .where(where => matches(where, filter))
    .limit(limit)
  const rows = await (ids ? found.where('id', 'in', ids) : found).execute()
  return rows.map(row => row.id)
}

/** Distinct tags of the matching channels in alphabetical order. The empty tag represents channels without one. */
export async function listTags(db: Database, filter: ChannelFilter): Promise<string[]> {
  const rows = await db
    .selectFrom('channels')
    .select('tag')
    .distinct()
    .where(where => matches(where, filter))
    .orderBy('tag')
    .execute()
  return rows.map(row => row.tag)
}

function matches(where: ExpressionBuilder<Tables, 'channels'>, filter: ChannelFilter) {
  const { status, type, keyword, keyHash, model, group } = filter
  const id = /^\d{1,15}$/.test(keyword) ? [where('id', '=', Number(keyword))] : []
  return where.and([
    ...(status === 0 ? [] : [where('status', '=', status)]),
    ...(type === 0 ? [] : [where('type', '=', type)]),
    ...(keyword === ''
      ? []
      : [where.or([...id, contains(where.ref('name'), keyword), where('key_hash', '=', keyHash)])]),
    ...(model === '' ? [] : [contains(where.ref('models'), model)]),
    ...(group === '' ? [] : [listContains(where.ref('group'), group)]),
  ])
}

/** All channels with these tags, whether or not they match the search that found the tags. */
export function listChannelsByTags(
  db: Database,
  tags: readonly string[],
  { limit, isById }: Pick<ChannelPage, 'limit' | 'isById'>,
): Promise<ChannelRow[]> {
  if (tags.length === 0) return Promise.resolve([])
  const found = db.selectFrom('channels').selectAll().where('tag', 'in', tags)
  const ordered = isById ? found : found.orderBy('priority', 'desc')
  return ordered.orderBy('id', 'desc').limit(limit).execute()
}

/** How many channels there are, and how many of them were ever tested. */
export async function readChannelProgress(
  db: Database,
): Promise<{ readonly count: number; readonly testedCount: number }> {
  const { count, tested } = await db
    .selectFrom('channels')
    .select(eb => [
      eb.fn.countAll<string>().as('count'),
      eb.fn.countAll<string>().filterWhere('test_time', '>', 0).as('tested'),
    ])
    .executeTakeFirstOrThrow()
  return { count: Number(count), testedCount: Number(tested) }
}

export const findChannel = (db: Database, id: number): Promise<ChannelRow | undefined> =>
  db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirst()

export const listChannelsByIds = (db: Database, ids: readonly number[]): Promise<ChannelRow[]> =>
  db.selectFrom('channels').selectAll().where('id', 'in', ids).orderBy('id').execute()

/** Reads a channel and locks its row until the transaction ends; on SQLite, this takes the write lock. */
export const lockChannel = (tx: Database, id: number): Promise<ChannelRow | undefined> =>
  tx
    .updateTable('channels')
    .set(row => ({ type: row.ref('type') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Channels with the same name, type, base URL, models and groups, at most `limit`. */
export const listSimilarChannels = (
  db: Database,
  {
    name,
    type,
    base_url,
    models,
    group,
  }: Pick<ChannelRow, 'name' | 'type' | 'base_url' | 'models' | 'group'>,
  limit: number,
): Promise<ChannelRow[]> =>
  db
    .selectFrom('channels')
    .selectAll()
    .where(where => where.and({ name, type, base_url, models, group }))
    .limit(limit)
    .execute()

export async function insertChannel(tx: Database, channel: NewChannel): Promise<number> {
  const { id } = await tx.insertInto('channels').values(channel).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Updates channels by id or by tag. Returns the ids of existing ones. */
export async function updateChannels(
  tx: Database,
  which: { readonly ids: readonly number[] } | { readonly tag: string },
  update: ChannelUpdate,
): Promise<number[]> {
  const ids = 'ids' in which ? which.ids : await listIdsByTag(tx, which.tag)
  if (ids.length === 0 || Object.keys(update).length === 0) return [...ids]
  const rows = await tx.updateTable('channels').set(update).where('id', 'in', ids).returning('id').execute()
  return rows.map(row => row.id)
}

/** Channels that the gateway disabled, by id or by tag. */
export function listAutoDisabledChannels(
  tx: Database,
  which: { readonly ids: readonly number[] } | { readonly tag: string },
): Promise<Pick<ChannelRow, 'id' | 'name' | 'other_info'>[]> {
  if ('ids' in which && which.ids.length === 0) return Promise.resolve([])
  const disabled = tx
    .selectFrom('channels')
    .select(['id', 'name', 'other_info'])
    .where('status', '=', CHANNEL_STATUS.autoDisabled)
    .orderBy('id')
  return (
    'ids' in which ? disabled.where('id', 'in', which.ids) : disabled.where('tag', '=', which.tag)
  ).execute()
}

async function listIdsByTag(tx: Database, tag: string): Promise<number[]> {
  const rows = await tx.selectFrom('channels').select('id').where('tag', '=', tag).execute()
  return rows.map(row => row.id)
}

/** Deletes channels and their abilities. Returns the number of deleted channels. */
export async function deleteChannels(tx: Database, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0
  await tx.deleteFrom('abilities').where('channel_id', 'in', ids).execute()
  const { numDeletedRows } = await tx.deleteFrom('channels').where('id', 'in', ids).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export async function listDisabledChannelIds(tx: Database): Promise<number[]> {
  const rows = await tx
    .selectFrom('channels')
    .select('id')
    .where('status', '!=', CHANNEL_STATUS.enabled)
    .execute()
  return rows.map(row => row.id)
}

/** `response_time` in milliseconds. */
export async function updateTestTimes(
  db: Database,
  id: number,
  times: { readonly test_time: number; readonly response_time: number },
): Promise<void> {
  await db.updateTable('channels').set(times).where('id', '=', id).execute()
}

/** Stores the remaining balance that the provider reports, in its own currency. */
export async function updateChannelBalance(
  db: Database,
  id: number,
  reported: { readonly balance: number; readonly balance_updated_time: number },
): Promise<void> {
  await db.updateTable('channels').set(reported).where('id', '=', id).execute()
}

/** The columns that decide whether a channel takes part in a test or balance update of all channels. */
export const listChannelTypes = (db: Database): Promise<Pick<ChannelRow, 'id' | 'type' | 'status'>[]> =>
  db.selectFrom('channels').select(['id', 'type', 'status']).orderBy('id').execute()

/** Names and settings of all channels. */
export const listChannelSettings = (
  db: Database,
): Promise<Pick<ChannelRow, 'id' | 'name' | 'type' | 'setting'>[]> =>
  db.selectFrom('channels').select(['id', 'name', 'type', 'setting']).orderBy('id').execute()

const ROUTING_COLUMNS = [
  'id',
  'key_sealed',
  'status',
  'stopped_models',
  ...ChannelFields.omit({ tag: true }).keyof().options,
] as const

export type RoutingChannelRow = Pick<ChannelRow, (typeof ROUTING_COLUMNS)[number]>

/** The routing columns of every channel of any status. An installation has tens to thousands of channels. */
export const selectRoutingChannels = (db: Database): Promise<RoutingChannelRow[]> =>
  db.selectFrom('channels').select(ROUTING_COLUMNS).orderBy('id').execute()

/** The encrypted key of the newest channel that has one: enough to check the gateway's SECRET_KEY. */
export async function findNewestChannelKey(db: Database): Promise<string | undefined> {
  const row = await db
    .selectFrom('channels')
    .select('key_sealed')
    .where('key_sealed', '<>', '')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.key_sealed
}

interface ChannelMark {
  readonly reason: string
  readonly atSeconds: number
  /** The remark is about prices, not about the provider's usage. */
  readonly isBelowCost?: boolean
}

/** Stores a remark about a channel that stays enabled. Enabling it again removes the remark. */
export async function markChannel(
  db: Database,
  channelId: number,
  { reason, atSeconds, isBelowCost }: ChannelMark,
): Promise<void> {
  const info = { status_reason: reason, status_time: atSeconds, ...(isBelowCost && { is_below_cost: true }) }
  await db
    .updateTable('channels')
    .set({ other_info: JSON.stringify(info) })
    .where('id', '=', channelId)
    .where('status', '=', CHANNEL_STATUS.enabled)
    .execute()
}

interface AutomaticDisable {
  readonly reason: string
  readonly atSeconds: number
  /** Only an administrator may enable the channel again, not a successful test. */
  readonly needsReview?: boolean
}

/** Disables an enabled channel and removes it from routing. Returns false when it was not enabled. */
export function disableChannelAutomatically(
  db: Database,
  channelId: number,
  { reason, atSeconds, needsReview }: AutomaticDisable,
): Promise<boolean> {
  return inTransaction(db, async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('channels')
      .set({
        status: CHANNEL_STATUS.autoDisabled,
        other_info: JSON.stringify({
          status_reason: reason,
          status_time: atSeconds,
          ...(needsReview && { needs_review: true }),
        }),
      })
      .where('id', '=', channelId)
      .where('status', '=', CHANNEL_STATUS.enabled)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await tx.updateTable('abilities').set({ enabled: 0 }).where('channel_id', '=', channelId).execute()
    await bumpVersion(tx, 'channels')
    return true
  })
}
