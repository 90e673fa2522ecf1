import {
  type AbilityRow,
  replaceAbilities,
  replaceAllAbilities,
  selectAbilities,
  selectAbilitySources,
} from '../../db/abilities.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { bumpVersion } from '../../db/topics.ts'
import { abilitiesOf } from './abilities-of.ts'

/** Changes channels: `change` gives the ids it touched, whose abilities are rebuilt in the same transaction. */
export function changeChannels(
  db: Database,
  change: (tx: Database) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  return inTransaction(db, async tx => {
    const ids = await change(tx)
    if (ids.length > 0) {
      const sources = await selectAbilitySources(tx, ids)
      await replaceAbilities(tx, ids, sources.flatMap(abilitiesOf))
    }
    await bumpVersion(tx, 'channels')
    return ids
  })
}

/** Derives everything anew from the channels; gives the number of rows that were missing, needless or wrong. */
export function rebuildAll(db: Database): Promise<number> {
  return inTransaction(db, async tx => {
    const right = (await selectAbilitySources(tx)).flatMap(abilitiesOf)
    const wrong = differences(await selectAbilities(tx), right)
    if (wrong > 0) await replaceAllAbilities(tx, right)
    await bumpVersion(tx, 'channels')
    return wrong
  })
}

function differences(found: readonly AbilityRow[], right: readonly AbilityRow[]): number {
  const contentOf = new Map(found.map(row => [keyOf(row), contentText(row)]))
  const changed = right.filter(row => contentOf.get(keyOf(row)) !== contentText(row)).length
  const rightKeys = new Set(right.map(keyOf))
  return changed + found.filter(row => !rightKeys.has(keyOf(row))).length
}

const keyOf = ({ group, model, channel_id }: AbilityRow): string => JSON.stringify([group, model, channel_id])
const contentText = ({ enabled, priority, weight, tag }: AbilityRow): string =>
  JSON.stringify([enabled, priority, weight, tag])
