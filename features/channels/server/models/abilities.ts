import {
  type AbilityRow,
  insertAbilities,
  replaceAbilities,
  selectAbilitySources,
  toAbilities,
} from '#server/db/channels/abilities.ts'
import { type ChannelRow, lockChannel } from '#server/db/channels/channels.ts'
import { bumpVersion } from '#server/db/engine/cached-value.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { channelError } from '../errors.ts'
import { findChannel } from '../queries/channels.ts'

/**
 * Runs `write`, which returns the ids of the channels that it touched, and rebuilds the abilities of these channels in
 * the same transaction: routing reads abilities, so they must never lag behind.
 */
export function writeChannels(
  db: Database,
  write: (tx: Database) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  return inTransaction(db, async tx => {
    const ids = await write(tx)
    if (ids.length > 0) {
      const sources = await selectAbilitySources(tx, ids)
      await replaceAbilities(tx, ids, sources.flatMap(toAbilities))
    }
    await bumpVersion(tx, 'channels')
    return ids
  })
}

/** Rebuilds all abilities from the channels. Returns the number of channels plus the number of those that were rebuilt. */
export function rebuildAbilities(db: Database): Promise<number> {
  return inTransaction(db, async tx => {
    const sources = await selectAbilitySources(tx)
    const expected = sources.flatMap(toAbilities)
    const different = findDifferentChannels(await selectAbilities(tx), expected)
    if (different.size > 0) await replaceAllAbilities(tx, expected)
    await bumpVersion(tx, 'channels')
    return sources.length + sources.filter(({ id }) => different.has(id)).length
  })
}

/** The ids of channels, existing or not, whose rows are missing, obsolete or wrong. */
function findDifferentChannels(
  stored: readonly AbilityRow[],
  expected: readonly AbilityRow[],
): ReadonlySet<number> {
  const contentByKey = new Map(stored.map(row => [keyOf(row), contentText(row)]))
  const changed = expected.filter(row => contentByKey.get(keyOf(row)) !== contentText(row))
  const expectedKeys = new Set(expected.map(keyOf))
  const obsolete = stored.filter(row => !expectedKeys.has(keyOf(row)))
  return new Set([...changed, ...obsolete].map(row => row.channel_id))
}

const keyOf = ({ group, model, channel_id }: AbilityRow): string => JSON.stringify([group, model, channel_id])

const contentText = ({ enabled, priority, weight, tag }: AbilityRow): string =>
  JSON.stringify([enabled, priority, weight, tag])

/** Throws `channel.unknown` when there is no such channel. */
export async function getChannelRow(db: Database, id: number): Promise<ChannelRow> {
  const row = await findChannel(db, id)
  if (!row) throw channelError('unknown')
  return row
}

/** As `getChannelRow`, for a decision that the row must still support when the transaction writes it. */
export async function lockChannelRow(tx: Database, id: number): Promise<ChannelRow> {
  const row = await lockChannel(tx, id)
  if (!row) throw channelError('unknown')
  return row
}

/** As `writeChannels`, but returns the rows as stored afterwards. */
export async function writeAndReadChannels(
  db: Database,
  write: (tx: Database) => Promise<readonly number[]>,
): Promise<readonly ChannelRow[]> {
  const ids = await writeChannels(db, write)
  return Promise.all(ids.map(id => getChannelRow(db, id)))
}

/** Reads the whole table; only for the repair. */
export const selectAbilities = (tx: Database): Promise<AbilityRow[]> =>
  tx.selectFrom('abilities').selectAll().execute()

export async function replaceAllAbilities(tx: Database, rows: readonly AbilityRow[]): Promise<void> {
  await tx.deleteFrom('abilities').execute()
  await insertAbilities(tx, rows)
}
