import type { Selectable } from 'kysely'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { bulkInsert } from '../engine/bulk.ts'
import type { Database } from '../engine/database.ts'
import type { AbilityTable } from '../engine/tables.ts'
import { readStoppedModels } from './stopped-models.ts'

export type AbilityRow = Selectable<AbilityTable>

export const insertAbilities = bulkInsert('abilities', [
  'group',
  'model',
  'channel_id',
  'enabled',
  'priority',
  'weight',
  'tag',
])

/** The channel columns from which abilities are derived. */
export interface AbilitySource {
  readonly id: number
  readonly status: number
  readonly models: string
  readonly group: string
  readonly priority: number
  readonly weight: number
  readonly tag: string
  readonly stopped_models: string
}

/** One row for each pair of group and model: routing looks channels up by them. */
export function toAbilities(channel: AbilitySource): AbilityRow[] {
  const stopped = new Set(readStoppedModels(channel.stopped_models).map(({ model }) => model))
  const isEnabled = channel.status === CHANNEL_STATUS.enabled
  return namesOf(channel.group).flatMap(group =>
    namesOf(channel.models).map(model => ({
      group,
      model,
      channel_id: channel.id,
      enabled: isEnabled && !stopped.has(model) ? 1 : 0,
      priority: channel.priority,
      weight: channel.weight,
      tag: channel.tag,
    })),
  )
}

export const namesOf = (list: string): readonly string[] => [
  ...new Set(
    list
      .split(/[,\n]/)
      .map(name => name.trim())
      .filter(name => name !== ''),
  ),
]

/** Reads these columns of the given channels, or of all. */
export function selectAbilitySources(tx: Database, ids?: readonly number[]): Promise<AbilitySource[]> {
  const found = tx
    .selectFrom('channels')
    .select(['id', 'status', 'models', 'group', 'priority', 'weight', 'tag', 'stopped_models'])
    .orderBy('id')
  return (ids ? found.where('id', 'in', ids) : found).execute()
}

/** Replaces all abilities of the given channels. */
export async function replaceAbilities(
  tx: Database,
  channelIds: readonly number[],
  rows: readonly AbilityRow[],
): Promise<void> {
  if (channelIds.length === 0) return
  await tx.deleteFrom('abilities').where('channel_id', 'in', channelIds).execute()
  await insertAbilities(tx, rows)
}

/** The models that enabled channels serve to the given groups, or to any, in alphabetical order. */
export async function listEnabledModels(db: Database, groups?: readonly string[]): Promise<string[]> {
  if (groups?.length === 0) return []
  const found = db
    .selectFrom('abilities')
    .select('model')
    .distinct()
    .where('enabled', '=', 1)
    .orderBy('model')
  const rows = await (groups ? found.where('group', 'in', groups) : found).execute()
  return rows.map(row => row.model)
}
