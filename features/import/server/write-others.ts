import type { Options } from '#contract/options/define-option.ts'
import { REDEMPTION_PURPOSE } from '#server/core/crypto.ts'
import { ownEntry } from '#server/core/json/json.ts'
import { bumpVersion } from '#server/db/engine/cached-value.ts'
import type { Database } from '#server/db/engine/database.ts'
import { selectOptions, upsertOption } from '#server/db/system/options.ts'
import { assignIds } from './assign-ids.ts'
import type { ImportContext, ImportedRow } from './import-context.ts'
import type { ImportedOption, ImportedRedemption, ImportedTask } from './import-source.ts'
import { readListEntries } from './list-entries.ts'
import {
  findImported,
  findTaken,
  insertImportedRedemptions,
  insertImportedTasks,
} from './queries/import-rows.ts'
import { jsonObject } from './read-values.ts'

/** Writes options that this gateway knows and that were not set here. Secrets are encrypted. */
export async function writeOptions(
  tx: Database,
  rows: readonly ImportedRow<ImportedOption>[],
  { secrets, options }: ImportContext,
): Promise<void> {
  const own = new Map((await selectOptions(tx)).map(({ key, value }) => [key, value]))
  const additions = new Map<string, string>()
  for (const { record, accept, skip } of rows) {
    const { key } = record
    const option = ownEntry(options, key)
    const toStored = (text: string) => (option?.isSecret ? secrets.encrypt(text) : text)
    const former = additions.get(key) ?? own.get(key) ?? option?.initial
    const text = record.isAddition ? addMembers(record.value, former, own.has(key)) : record.value
    const checked = checkOption(text, option, !record.isAddition && own.has(key))
    if ('problem' in checked) {
      skip(checked.problem)
      continue
    }
    const { value, notes } = checked
    if (record.isAddition) additions.set(key, value)
    else if (value !== '') await upsertOption(tx, { key, value: toStored(value) })
    accept(0, ...notes)
  }
  for (const [key, value] of additions) await upsertOption(tx, { key, value })
  await bumpVersion(tx, 'options')
}

/** What was set here stays; a default of this gateway gives way to what was set there. */
function addMembers(value: string, former: string | undefined, isSet: boolean): string {
  const [here, there] = [jsonObject(former ?? ''), jsonObject(value)]
  return JSON.stringify(isSet ? { ...there, ...here } : { ...here, ...there })
}

type OptionCheck =
  | { readonly value: string; readonly notes: readonly string[] }
  | { readonly problem: string }

function checkOption(value: string, option: Options[string] | undefined, isSet: boolean): OptionCheck {
  if (!option) return { problem: 'this gateway has no such option' }
  if (isSet) return { problem: 'the option was set here already' }
  const { schema } = option
  const [issue] = schema.safeParse(value).error?.issues ?? []
  if (!issue) return { value, notes: [] }
  const kept = readListEntries(schema, value)
  if (kept) return { value: kept.text, notes: kept.notes }
  return { problem: `the value is not valid here: ${[...issue.path, issue.message].join(': ')}` }
}

/** Writes redemption codes. The codes that people have keep working. */
export async function writeRedemptions(
  tx: Database,
  rows: readonly ImportedRow<ImportedRedemption>[],
  { secrets, source }: ImportContext,
): Promise<void> {
  const users = await findImported(tx, source, 'users', [
    ...new Set(rows.flatMap(({ record }) => [String(record.owner), String(record.usedBy)])),
  ])
  const hashes = rows.map(({ record }) => secrets.hash(REDEMPTION_PURPOSE, record.key))
  const taken = await findTaken(tx, 'redemptions', 'key_hash', hashes)
  const fresh = rows.flatMap((row, index) => {
    const key_hash = hashes[index] ?? ''
    if (taken.has(key_hash)) {
      row.skip('the same code is here already')
      return []
    }
    taken.set(key_hash, 0)
    return [{ ...row, key_hash }]
  })
  const ids = await assignIds(tx, 'redemptions', fresh)
  const written = fresh.map(({ record, accept, key_hash }, index) => {
    const id = ids[index] ?? 0
    const { originalId: _, owner, key, usedBy, ...columns } = record
    accept(id)
    return {
      ...columns,
      id,
      key_hash,
      key_sealed: secrets.encrypt(key),
      user_id: users.get(String(owner)) ?? 0,
      used_user_id: users.get(String(usedBy)) ?? 0,
    }
  })
  await insertImportedRedemptions(tx, written)
}

/** Writes finished drawings and songs. Their charges are part of what their users consumed. */
export async function writeTasks(
  tx: Database,
  rows: readonly ImportedRow<ImportedTask>[],
  { source }: ImportContext,
): Promise<void> {
  const distinct = (member: 'owner' | 'channel') => [
    ...new Set(rows.map(({ record }) => String(record[member]))),
  ]
  const users = await findImported(tx, source, 'users', distinct('owner'))
  const channels = await findImported(tx, source, 'channels', distinct('channel'))
  const ids = await assignIds(
    tx,
    'tasks',
    rows.map(row => ({ ...row, record: { originalId: undefined } })),
  )
  const written = rows.map(({ record, accept, sourceId }, index) => {
    const id = ids[index] ?? 0
    const { originalId: _, owner, channel, ...columns } = record
    accept(id)
    return {
      ...columns,
      id,
      request_id: `imported-${source}-${record.platform}-${sourceId}`,
      user_id: users.get(String(owner)) ?? 0,
      channel_id: channels.get(String(channel)) ?? 0,
      mode: '',
      bill: '',
      created_at_ms: record.submit_time_ms,
      updated_at_ms: record.finish_time_ms,
      due_ms: null,
    }
  })
  await insertImportedTasks(tx, written)
}
