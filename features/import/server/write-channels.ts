import { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import { defaultsOf, toCells } from '#contract/entities/stored.ts'
import { CHANNEL_KEY_PURPOSE } from '#server/core/crypto.ts'
import { replaceAbilities, selectAbilitySources, toAbilities } from '#server/db/channels/abilities.ts'
import { bumpVersion } from '#server/db/engine/cached-value.ts'
import type { Database } from '#server/db/engine/database.ts'
import { postImportedBalances } from '#server/ledger/import-balances.ts'
import { assignIds } from './assign-ids.ts'
import type { ImportContext, ImportedRow } from './import-context.ts'
import type { ImportedChannel } from './import-source.ts'
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
    accept(id, ...(originalId === undefined || originalId === id ? [] : [`has the id ${id} here`]))
    return {
      ...DEFAULTS,
      ...columns,
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
