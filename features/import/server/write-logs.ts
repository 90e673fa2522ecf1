import { LOG_TYPE } from '#contract/enums.ts'
import { startOfHour } from '#server/core/usage.ts'
import { IMPORTED_REQUEST } from '#server/db/billing/audit.ts'
import type { Database } from '#server/db/engine/database.ts'
import { addToUsageHours, findHoursRolledUpUntil, type UsageHourRow } from '#server/db/usage/usage-hours.ts'
import type { ImportContext, ImportedRow } from './import-context.ts'
import type { ImportedLog } from './import-source.ts'
import { addToImportUsage, findImported, insertImportedLogs, resetRollUps } from './queries/import-rows.ts'

/** Writes log rows and adds them to the sums of their hours, which lists and charts read. */
export async function writeLogs(
  tx: Database,
  rows: readonly ImportedRow<ImportedLog>[],
  { source }: ImportContext,
): Promise<void> {
  const lookUp = async (kind: 'users' | 'channels' | 'tokens', member: 'owner' | 'channel' | 'token') => {
    const ids = [...new Set(rows.map(({ record }) => String(record[member])))]
    const found = await findImported(tx, source, kind, ids)
    return (record: ImportedLog): number => found.get(String(record[member])) ?? 0
  }
  const userOf = await lookUp('users', 'owner')
  const channelOf = await lookUp('channels', 'channel')
  const tokenOf = await lookUp('tokens', 'token')
  const written = rows.map(({ record, accept }) => {
    const { number, owner: _, channel: __, token: ___, ...columns } = record
    accept(0)
    return {
      ...columns,
      request_id: `${IMPORTED_REQUEST}${number}`,
      user_id: userOf(record),
      channel_id: channelOf(record),
      token_id: tokenOf(record),
    }
  })
  await insertImportedLogs(tx, written)
  for (const part of splitAtExactSums(written)) {
    await addToUsageHours(tx, sumHours(part))
    await addToImportUsage(tx, sumUsers(part))
  }
  await rollUpAgain(tx, written)
}

/** Parts whose sums are exact numbers: a damaged source can have rows of a billion dollars. */
function splitAtExactSums<Row extends LogColumns>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const parts: Row[][] = [[]]
  let sum = 0
  for (const row of rows) {
    const size = Math.max(...[row.quota, row.prompt_tokens, row.completion_tokens].map(Math.abs))
    sum += size
    if (sum > Number.MAX_SAFE_INTEGER) {
      parts.push([])
      sum = size
    }
    parts.at(-1)?.push(row)
  }
  return parts
}

type LogColumns = Omit<UsageHourRow, 'hour' | 'count'> & { readonly created_at: number }

function sumHours(rows: readonly LogColumns[]): readonly UsageHourRow[] {
  const hours = new Map<string, UsageHourRow>()
  for (const row of rows) {
    const hour = startOfHour(row.created_at)
    const { user_id, token_id, channel_id, model_name, group, type } = row
    const key = JSON.stringify([hour, user_id, token_id, channel_id, model_name, group, type])
    const sum = hours.get(key)
    hours.set(key, {
      hour,
      user_id,
      token_id,
      channel_id,
      model_name,
      group,
      type,
      count: (sum?.count ?? 0) + 1,
      quota: (sum?.quota ?? 0) + (type === LOG_TYPE.consumption ? row.quota : 0),
      prompt_tokens: (sum?.prompt_tokens ?? 0) + row.prompt_tokens,
      completion_tokens: (sum?.completion_tokens ?? 0) + row.completion_tokens,
    })
  }
  return [...hours].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

function sumUsers(rows: readonly LogColumns[]) {
  const users = new Map<number, { user_id: number; quota: number; requests: number }>()
  for (const { user_id, type, quota } of rows) {
    if (type !== LOG_TYPE.consumption) continue
    const sum = users.get(user_id)
    users.set(user_id, { user_id, quota: (sum?.quota ?? 0) + quota, requests: (sum?.requests ?? 0) + 1 })
  }
  return [...users.values()].sort((a, b) => a.user_id - b.user_id)
}

async function rollUpAgain(tx: Database, rows: readonly LogColumns[]): Promise<void> {
  const until = await findHoursRolledUpUntil(tx)
  if (rows.some(({ created_at }) => created_at < until)) await resetRollUps(tx)
}
