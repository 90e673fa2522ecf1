import type { Insertable } from 'kysely'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import {
  type ChannelFilter,
  type ChannelPage,
  type ChannelRow,
  matchesChannelFilter,
} from '#server/db/channels/channels.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { ChannelTable } from '#server/db/engine/tables.ts'

export type ChannelUpdate = Partial<Omit<ChannelRow, 'id' | 'used_quota' | 'created_time'>>

export type NewChannel = Insertable<ChannelTable>

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

/** Distinct tags of the matching channels in alphabetical order. The empty tag represents channels without one. */
export async function listTags(db: Database, filter: ChannelFilter): Promise<string[]> {
  const rows = await db
    .selectFrom('channels')
    .select('tag')
    .distinct()
    .where(where => matchesChannelFilter(where, filter))
    .orderBy('tag')
    .execute()
  return rows.map(row => row.tag)
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

/** The ids of the matching channels, at most `limit`; with `ids`, of those among them. */
export async function listChannelIds(
  db: Database,
  filter: ChannelFilter,
  { limit, ids }: { readonly limit: number; readonly ids?: readonly number[] | undefined },
): Promise<number[]> {
  const found = db
    .selectFrom('channels')
    .select('id')
    .where(where => matchesChannelFilter(where, filter))
    .limit(limit)
  const rows = await (ids ? found.where('id', 'in', ids) : found).execute()
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

export const findChannel = (db: Database, id: number): Promise<ChannelRow | undefined> =>
  db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirst()

/** The columns that decide whether a channel takes part in a test or balance update of all channels. */
export const listChannelTypes = (db: Database): Promise<Pick<ChannelRow, 'id' | 'type' | 'status'>[]> =>
  db.selectFrom('channels').select(['id', 'type', 'status']).orderBy('id').execute()

export async function insertChannel(tx: Database, channel: NewChannel): Promise<number> {
  const { id } = await tx.insertInto('channels').values(channel).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Deletes channels and their abilities. Returns the number of deleted channels. */
export async function deleteChannels(tx: Database, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0
  await tx.deleteFrom('abilities').where('channel_id', 'in', ids).execute()
  const { numDeletedRows } = await tx.deleteFrom('channels').where('id', 'in', ids).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export async function countChannels(db: Database, filter: ChannelFilter): Promise<number> {
  const { count } = await db
    .selectFrom('channels')
    .select(select => select.fn.countAll<number>().as('count'))
    .where(where => matchesChannelFilter(where, filter))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function listDisabledChannelIds(tx: Database): Promise<number[]> {
  const rows = await tx
    .selectFrom('channels')
    .select('id')
    .where('status', '!=', CHANNEL_STATUS.enabled)
    .execute()
  return rows.map(row => row.id)
}

/** Stores the balance as the provider reports it, in its own currency, or the times of a test, in milliseconds. */
export async function updateFigures(
  db: Database,
  id: number,
  figures:
    | Pick<ChannelRow, 'balance' | 'balance_updated_time'>
    | Pick<ChannelRow, 'test_time' | 'response_time'>,
): Promise<void> {
  await db.updateTable('channels').set(figures).where('id', '=', id).execute()
}

async function listIdsByTag(tx: Database, tag: string): Promise<number[]> {
  const rows = await tx.selectFrom('channels').select('id').where('tag', '=', tag).execute()
  return rows.map(row => row.id)
}
