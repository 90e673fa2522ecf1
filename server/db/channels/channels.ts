import type { ExpressionBuilder, Insertable, Selectable } from 'kysely'
import { bumpVersion } from '../engine/cached-value.ts'
import { type Database, inTransaction } from '../engine/database.ts'
import type { ChannelTable, Tables } from '../engine/tables.ts'
import { contains, listContains } from '../engine/text.ts'

export type ChannelRow = Selectable<ChannelTable>
export type NewChannel = Insertable<ChannelTable>
export type ChannelUpdate = Partial<Omit<ChannelRow, 'id' | 'used_quota' | 'created_time'>>

/** Everything is optional in effect: 0 and empty mean any. */
export interface ChannelFilter {
  readonly status: number
  readonly type: number
  /** An id, a part of the name, or (by its hash) a whole key. */
  readonly keyword: string
  readonly keyHash: string
  readonly model: string
  readonly group: string
}

export interface ChannelPage {
  readonly offset: number
  readonly limit: number
  /** Newest first; else highest priority first. */
  readonly isById: boolean
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

/** Distinct tags of the channels that match, in alphabetical order; the empty tag stands for channels without one. */
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

/** All channels of the tags, whether or not they match the search that found the tags. */
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

export const findChannel = (db: Database, id: number): Promise<ChannelRow | undefined> =>
  db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirst()

/** Channels of the same name that stand for the same place, at most `limit`. */
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

/** Gives the ids of the channels that were there to change. */
export async function updateChannels(
  tx: Database,
  which: { readonly ids: readonly number[] } | { readonly tag: string },
  change: ChannelUpdate,
): Promise<number[]> {
  const ids = 'ids' in which ? which.ids : await listIdsByTag(tx, which.tag)
  if (ids.length === 0 || Object.keys(change).length === 0) return [...ids]
  const rows = await tx.updateTable('channels').set(change).where('id', 'in', ids).returning('id').execute()
  return rows.map(row => row.id)
}

async function listIdsByTag(tx: Database, tag: string): Promise<number[]> {
  const rows = await tx.selectFrom('channels').select('id').where('tag', '=', tag).execute()
  return rows.map(row => row.id)
}

/** Deletes the channels and what is derived from them; gives how many there were. */
export async function deleteChannels(tx: Database, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0
  await tx.deleteFrom('abilities').where('channel_id', 'in', ids).execute()
  const { numDeletedRows } = await tx.deleteFrom('channels').where('id', 'in', ids).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export async function listDisabledChannelIds(tx: Database): Promise<number[]> {
  const rows = await tx.selectFrom('channels').select('id').where('status', '!=', 1).execute()
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

/** What the vendor said is left, in its own currency. */
export async function updateChannelBalance(
  db: Database,
  id: number,
  found: { readonly balance: number; readonly balance_updated_time: number },
): Promise<void> {
  await db.updateTable('channels').set(found).where('id', '=', id).execute()
}

/** What decides which channels are tested, or asked for their balance, when all are. */
export const listChannelTypes = (db: Database): Promise<Pick<ChannelRow, 'id' | 'type' | 'status'>[]> =>
  db.selectFrom('channels').select(['id', 'type', 'status']).orderBy('id').execute()

export type RoutingChannelRow = Pick<
  Selectable<ChannelTable>,
  | 'id'
  | 'type'
  | 'name'
  | 'key_sealed'
  | 'status'
  | 'weight'
  | 'priority'
  | 'base_url'
  | 'other'
  | 'openai_organization'
  | 'models'
  | 'group'
  | 'model_mapping'
  | 'status_code_mapping'
  | 'setting'
  | 'param_override'
  | 'auto_ban'
  | 'test_model'
>

/** What routing needs of every channel, whatever its status. An installation has tens to thousands of them. */
export function selectRoutingChannels(db: Database): Promise<RoutingChannelRow[]> {
  return db
    .selectFrom('channels')
    .select([
      'id',
      'type',
      'name',
      'key_sealed',
      'status',
      'weight',
      'priority',
      'base_url',
      'other',
      'openai_organization',
      'models',
      'group',
      'model_mapping',
      'status_code_mapping',
      'setting',
      'param_override',
      'auto_ban',
      'test_model',
    ])
    .orderBy('id')
    .execute()
}

const ENABLED = 1
const DISABLED_AUTOMATICALLY = 3

/** Takes an enabled channel out of routing. False when it was not enabled any more. */
export function disableChannelAutomatically(
  db: Database,
  channelId: number,
  { reason, atSeconds }: { readonly reason: string; readonly atSeconds: number },
): Promise<boolean> {
  return inTransaction(db, async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('channels')
      .set({
        status: DISABLED_AUTOMATICALLY,
        other_info: JSON.stringify({ status_reason: reason, status_time: atSeconds }),
      })
      .where('id', '=', channelId)
      .where('status', '=', ENABLED)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await tx.updateTable('abilities').set({ enabled: 0 }).where('channel_id', '=', channelId).execute()
    await bumpVersion(tx, 'channels')
    return true
  })
}
