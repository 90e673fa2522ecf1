import { type AbilityRow, replaceAbilities, replaceAllAbilities, selectAbilities, selectAbilitySources, type AbilitySource } from '../../db/channels/abilities.ts'
import { type Database, inTransaction } from '../../db/engine/database.ts'
import { bumpVersion } from '../../db/engine/cached-value.ts'
import { distinctNames } from '#contract/fields.ts'
import { type ChannelRow, findChannel } from '../../db/channels/channels.ts'
import { channelError } from './refuse.ts'

/** Changes channels: `change` gives the ids it touched, whose abilities are rebuilt in the same transaction. */
export function writeChannels(
  db: Database,
  change: (tx: Database) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  return inTransaction(db, async tx => {
    const ids = await change(tx)
    if (ids.length > 0) {
      const sources = await selectAbilitySources(tx, ids)
      await replaceAbilities(tx, ids, sources.flatMap(toAbilities))
    }
    await bumpVersion(tx, 'channels')
    return ids
  })
}

/** Derives everything anew from the channels; gives the number of rows that were missing, needless or wrong. */
export function rebuildAbilities(db: Database): Promise<number> {
  return inTransaction(db, async tx => {
    const right = (await selectAbilitySources(tx)).flatMap(toAbilities)
    const wrong = countDifferences(await selectAbilities(tx), right)
    if (wrong > 0) await replaceAllAbilities(tx, right)
    await bumpVersion(tx, 'channels')
    return wrong
  })
}

function countDifferences(found: readonly AbilityRow[], right: readonly AbilityRow[]): number {
  const contentOf = new Map(found.map(row => [keyOf(row), contentText(row)]))
  const changed = right.filter(row => contentOf.get(keyOf(row)) !== contentText(row)).length
  const rightKeys = new Set(right.map(keyOf))
  return changed + found.filter(row => !rightKeys.has(keyOf(row))).length
}

const keyOf = ({ group, model, channel_id }: AbilityRow): string => JSON.stringify([group, model, channel_id])
const contentText = ({ enabled, priority, weight, tag }: AbilityRow): string =>
  JSON.stringify([enabled, priority, weight, tag])

const ENABLED = 1

/** The rows by which routing finds a channel: each of its groups with each of its models. */
const toAbilities = (channel: AbilitySource): AbilityRow[] =>
  distinctNames(channel.group).flatMap(group =>
    distinctNames(channel.models).map(model => ({
      group,
      model,
      channel_id: channel.id,
      enabled: channel.status === ENABLED ? 1 : 0,
      priority: channel.priority,
      weight: channel.weight,
      tag: channel.tag,
    })),
  )

export async function getChannelRow(db: Database, id: number): Promise<ChannelRow> {
  const row = await findChannel(db, id)
  if (!row) throw channelError('unknown')
  return row
}

/** Changes channels and gives them as they stand afterwards. */
export async function writeAndReadChannels(
  db: Database,
  change: (tx: Database) => Promise<readonly number[]>,
): Promise<readonly ChannelRow[]> {
  const ids = await writeChannels(db, change)
  return Promise.all(ids.map(id => getChannelRow(db, id)))
}
