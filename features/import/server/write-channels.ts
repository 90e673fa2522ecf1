import { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import { defaultsOf, toCells } from '#contract/entities/stored.ts'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { CHANNEL_KEY_PURPOSE } from '#server/core/crypto.ts'
import { replaceAbilities, selectAbilitySources, toAbilities } from '#server/db/channels/abilities.ts'
import { bumpVersion } from '#server/db/engine/cached-value.ts'
import type { Database } from '#server/db/engine/database.ts'
import { assignIds } from './assign-ids.ts'
import { postImportedBalances } from './import-balances.ts'
import type { ImportContext, ImportedRow } from './import-context.ts'
import type { ImportedChannel } from './import-source.ts'
import { readListEntries } from './list-entries.ts'
import { insertImportedChannels } from './queries/import-rows.ts'

const DEFAULTS = toCells(ChannelFields, defaultsOf(ChannelFields))

/** Writes channels with their keys and what they served, and what routing reads of them. */
export async function writeImportedChannels(
  tx: Database,
  rows: readonly ImportedRow<ImportedChannel>[],
  { secrets, registry, program }: ImportContext,
): Promise<void> {
  const usable = rows.filter(({ record, skip }) => {
    if (registry.byType(record.type)) return true
    skip(`this gateway has no channels of the type ${record.type}`)
    return false
  })
  const ids = await assignIds(tx, 'channels', usable)
  const written = usable.map(({ record, accept }, index) => {
    const id = ids[index] ?? 0
    const { originalId, key, ...columns } = record
    const { fitted, notes } = fitColumns(columns)
    if (originalId !== undefined && originalId !== id) notes.push(`has the id ${id} here`)
    accept(id, ...notes)
    return {
      ...DEFAULTS,
      ...columns,
      ...fitted,
      id,
      key_hash: secrets.hash(CHANNEL_KEY_PURPOSE, key),
      key_sealed: secrets.encrypt(key),
    }
  })
  await insertImportedChannels(tx, written)
  const balances = written.map(({ id, used_quota }) => ({ userId: 0, channelId: id, usage: used_quota }))
  await postImportedBalances(tx, balances, `imported from ${program}`)
  if (written.length === 0) return
  const channelIds = written.map(({ id }) => id)
  const sources = await selectAbilitySources(tx, channelIds)
  await replaceAbilities(tx, channelIds, sources.flatMap(toAbilities))
  await bumpVersion(tx, 'channels')
}

/** Columns that routing could not read, without their bad entries: the channel would be left out as a whole. */
function fitColumns(columns: Omit<ImportedChannel, 'originalId' | 'key'>) {
  const notes: string[] = []
  const { shape } = ChannelFields
  const fitJson = (name: JsonColumn): string => {
    const value = columns[name] ?? ''
    const [issue] = shape[name].safeParse(value).error?.issues ?? []
    if (!issue) return value
    const kept = readListEntries(shape[name], value)
    notes.push(...(kept?.notes ?? [`did not come (${issue.message})`]).map(note => `${name} ${note}`))
    return kept?.text ?? ''
  }
  const fitNumber = (name: 'priority' | 'weight'): number => {
    const value = columns[name] ?? 0
    const [issue] = shape[name].safeParse(value).error?.issues ?? []
    if (!issue) return value
    const limit = issue.code === 'too_big' ? issue.maximum : issue.code === 'too_small' ? issue.minimum : 0
    notes.push(`${name} is ${value} and came as ${limit}`)
    return Number(limit)
  }
  const fitted = {
    model_mapping: fitJson('model_mapping'),
    status_code_mapping: fitJson('status_code_mapping'),
    setting: fitJson('setting'),
    param_override: fitJson('param_override'),
    priority: fitNumber('priority'),
    weight: fitNumber('weight'),
  }
  // Without it the key would go to the default address of the provider.
  const [addressIssue] = shape.base_url.safeParse(columns.base_url).error?.issues ?? []
  if (!addressIssue) return { fitted, notes }
  notes.push(`base_url cannot be used here (${addressIssue.message}): the channel came disabled`)
  return { fitted: { ...fitted, status: CHANNEL_STATUS.disabled }, notes }
}

type JsonColumn = 'model_mapping' | 'status_code_mapping' | 'setting' | 'param_override'
