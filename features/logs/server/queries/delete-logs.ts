import { type Database, inTransaction, type OpenDatabase } from '#server/db/engine/database.ts'
import { dropOldestLogMonth } from '#server/db/logs/log-months.ts'

/**
 * Deletes some of the rows that are older than the given time, with their receipts: a whole month where the tables are
 * partitioned, else at most `limit` rows. Returns the number of deleted rows, 0 when none are left.
 */
export async function deleteSomeLogs(
  { db, engine }: Pick<OpenDatabase, 'db' | 'engine'>,
  beforeSeconds: number,
  limit: number,
): Promise<number> {
  const dropped = engine === 'postgres' ? await dropMonthWithRows(db, beforeSeconds) : 0
  return dropped > 0 ? dropped : inTransaction(db, tx => deleteRows(tx, beforeSeconds, limit))
}

/** Drops months up to the first one with rows. Returns 0 when no month can be dropped. */
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
