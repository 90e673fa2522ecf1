import type { Database } from '#server/db/engine/database.ts'
import type { ImportedRow } from './import-context.ts'
import { findHighestId, findTaken } from './queries/import-rows.ts'

/** The id here of each row: the source's own where it is free, since users refer to it, else a new one. */
export async function assignIds(
  tx: Database,
  table: 'users' | 'tokens' | 'channels' | 'redemptions' | 'tasks',
  rows: readonly ImportedRow<{ readonly originalId: number | undefined }>[],
): Promise<readonly number[]> {
  const originalIds = rows.map(({ record }) => record.originalId)
  const taken = new Set(
    (
      await findTaken(
        tx,
        table,
        'id',
        originalIds.filter(id => id !== undefined),
      )
    ).keys(),
  )
  let last = Math.max(await findHighestId(tx, table), ...originalIds.map(id => id ?? 0))
  return originalIds.map(id => {
    if (id !== undefined && id > 0 && !taken.has(id)) {
      taken.add(id)
      return id
    }
    last += 1
    return last
  })
}
