import type { ExpressionBuilder, Selectable } from 'kysely'
import { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { bumpVersion } from '../engine/cached-value.ts'
import { type Database, inTransaction } from '../engine/database.ts'
import type { ChannelTable, Tables } from '../engine/tables.ts'
import { contains, listContains } from '../engine/text.ts'

export type ChannelRow = Selectable<ChannelTable>

export type RoutingChannelRow = Pick<ChannelRow, (typeof ROUTING_COLUMNS)[number]>

interface ChannelMark {
  readonly reason: string
  readonly atSeconds: number
  /** The remark is about prices, not about the provider's usage. */
  readonly isBelowCost?: boolean
}

interface AutomaticDisable {
  readonly reason: string
  readonly atSeconds: number
  /** Only an administrator may enable the channel again, not a successful test. */
  readonly needsReview?: boolean
}

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

/** Reads a channel and locks its row until the transaction ends; on SQLite, this takes the write lock. */
export const lockChannel = (tx: Database, id: number): Promise<ChannelRow | undefined> =>
  tx
    .updateTable('channels')
    .set(row => ({ type: row.ref('type') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

const ROUTING_COLUMNS = [
  'id',
  'key_sealed',
  'status',
  'stopped_models',
  ...ChannelFields.omit({ tag: true }).keyof().options,
] as const

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

export function listChannels(db: Database, filter: ChannelFilter, page: ChannelPage): Promise<ChannelRow[]> {
  const { offset, limit, isById } = page
  const found = db
    .selectFrom('channels')
    .selectAll()
    .where(where => matchesChannelFilter(where, filter))
  const ordered = isById ? found : found.orderBy('priority', 'desc')
  return ordered.orderBy('id', 'desc').offset(offset).limit(limit).execute()
}

export function matchesChannelFilter(where: ExpressionBuilder<Tables, 'channels'>, filter: ChannelFilter) {
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
