import type { ChannelRow } from '#server/db/channels/channels.ts'
import type { Database } from '#server/db/engine/database.ts'

export const listChannelsByIds = (db: Database, ids: readonly number[]): Promise<ChannelRow[]> =>
  db.selectFrom('channels').selectAll().where('id', 'in', ids).orderBy('id').execute()

/** Names and settings of all channels. */
export const listChannelSettings = (
  db: Database,
): Promise<Pick<ChannelRow, 'id' | 'name' | 'type' | 'setting'>[]> =>
  db.selectFrom('channels').select(['id', 'name', 'type', 'setting']).orderBy('id').execute()
