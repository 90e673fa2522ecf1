import { sql } from 'kysely'
import { type Database, inTransaction, type OpenDatabase } from '#server/db/engine/database.ts'
import { limitLockWait, listLogMonths, nextMonth, partitionSuffix } from '#server/db/logs/log-months.ts'

const LOCK_NOT_AVAILABLE = '55P03'
/** The maximum difference between the clocks of the database, which dates receipts, and of the gateway, which dates rows. */
const CLOCK_SKEW_SECONDS_MAX = 3600

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

/**
 * Drops the partition of the oldest month with its receipts, if the whole month is older than the given time. Returns the
 * number of its log rows, or undefined when there is no such month or it is in use. PostgreSQL only.
 */
async function dropOldestLogMonth(db: Database, beforeSeconds: number): Promise<number | undefined> {
  const [month] = await listLogMonths(db)
  if (month === undefined || nextMonth(month) > beforeSeconds) return undefined
  try {
    return await inTransaction(db, tx => dropMonth(tx, month))
  } catch (error) {
    if (isLockNotAvailable(error)) return undefined
    throw error
  }
}

async function dropMonth(tx: Database, month: number): Promise<number> {
  await limitLockWait(tx)
  const [logs, receipts] = ['logs', 'receipts'].map(table => sql.table(`${table}_${partitionSuffix(month)}`))
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${logs}`.execute(tx)
  const next = nextMonth(month)
  // Receipts dated before their row by the other clock belong to the next month and must be kept.
  await sql`with kept as (delete from ${receipts} using logs where log_id = id
      and created_at >= ${next} and created_at < ${next + CLOCK_SKEW_SECONDS_MAX} returning log_id, created_at, body)
    insert into receipts (log_id, written_at, body) select log_id, created_at, body from kept`.execute(tx)
  await sql`drop table ${logs}, ${receipts}`.execute(tx)
  return Number(rows[0]?.count ?? 0)
}

const isLockNotAvailable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE

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
