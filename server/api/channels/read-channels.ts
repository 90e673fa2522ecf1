import { type ChannelRow, findChannel } from '../../db/channels.ts'
import type { Database } from '../../db/database.ts'
import { changeChannels } from './rebuild.ts'
import { refuse } from './refuse.ts'

export async function getChannelRow(db: Database, id: number): Promise<ChannelRow> {
  const row = await findChannel(db, id)
  if (!row) throw refuse('unknown')
  return row
}

/** Changes channels and gives them as they stand afterwards. */
export async function rebuildAndRead(
  db: Database,
  change: (tx: Database) => Promise<readonly number[]>,
): Promise<readonly ChannelRow[]> {
  const ids = await changeChannels(db, change)
  return Promise.all(ids.map(id => getChannelRow(db, id)))
}
