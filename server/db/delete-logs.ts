import type { Database } from './database.ts'
import { inTransaction, type OpenDatabase } from './database.ts'
import { dropOldestLogMonth } from './log-months.ts'

/**
 * Deletes some of the rows older than the given time, with their receipts: a whole month where rows lie by month, else
 * at most `limit`. Gives how many, 0 when none are left.
 */
export async function deleteSomeLogs(
  { db, engine }: Pick<OpenDatabase, 'db' | 'engine'>,
  beforeSeconds: number,
  limit: number,
): Promise<number> {
  const dropped = engine === 'postgres' ? await dropMonthWithRows(db, beforeSeconds) : 0
  return dropped > 0 ? dropped : inTransaction(db, tx => deleteRows(tx, beforeSeconds, limit))
}

/** Months without rows are dropped on the way. 0: none can be dropped any more. */
async function dropMonthWithRows(db: Database, beforeSeconds: number): Promise<number> {
  for (;;) {
    const count = await dropOldestLogMonth(db, beforeSeconds)
    if (count !== 0) return count ?? 0
  }
}

async function deleteRows(tx: Database, beforeSeconds: number, limit: number): Promise<number> {
  const old = await tx
    .selectFrom('logs')
    .select('id')
    .where('created_at', '<', beforeSeconds)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  const ids = old.map(row => row.id)
  if (ids.length === 0) return 0
  await tx.deleteFrom('receipts').where('log_id', 'in', ids).execute()
  await tx.deleteFrom('logs').where('id', 'in', ids).execute()
  return ids.length
}
