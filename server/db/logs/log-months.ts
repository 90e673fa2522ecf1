import { sql } from 'kysely'
import { type Database, inTransaction, type OpenDatabase } from '../engine/database.ts'
import { allowLongStatements } from '../engine/postgres-dialect.ts'
import type { TimeRange } from './log-filter.ts'

/** On PostgreSQL these lie by month, by this column, each month with a key of its own; in `…_rest` what no month takes. */
const PARTITIONED_TABLES = [
  { table: 'logs', column: 'created_at', key: 'id' },
  { table: 'receipts', column: 'written_at', key: 'log_id' },
] as const

/** Somebody who reads for long must not make everybody else wait behind this. */
const LOCK_WAIT = '2s'
const LOCK_NOT_AVAILABLE = '55P03'
const MONTHS_AT_ONCE_MAX = 120
/** The database's clock, which dates receipts, and ours, which dates rows, differ by less. */
const CLOCK_SKEW_SECONDS_MAX = 3600

const startOfMonth = (seconds: number): number => {
  const date = new Date(seconds * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000
}

const nextMonth = (month: number): number => startOfMonth(month + 32 * 24 * 3600)

/** As in `logs_2026_11`. */
const partitionSuffix = (month: number): string =>
  new Date(month * 1000).toISOString().slice(0, 7).replace('-', '_')

/** The months that have a place of their own, oldest first, each by its first second, UTC. PostgreSQL only. */
export async function listLogMonths(db: Database): Promise<readonly number[]> {
  const { rows } = await sql<{ month: number }>`
    select cast(extract(epoch from to_date(substr(relname, 6), 'YYYY_MM')) as bigint) as month
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = cast('logs' as regclass) and relname ~ '^logs_[0-9]{4}_[0-9]{2}$' order by 1`.execute(
    db,
  )
  return rows.map(({ month }) => month)
}

/**
 * Makes a place for each month of the span, and moves into it what was written before there was one. Months before the
 * oldest are left out: rows of long ago share its place. Throws when the table is in use for too long; call it again
 * later then. PostgreSQL only.
 */
export async function createLogMonths(db: Database, { from, until }: TimeRange): Promise<void> {
  const known = await listLogMonths(db)
  const oldest = known[0] ?? 0
  let month = startOfMonth(from)
  for (let made = 0; month < until && made < MONTHS_AT_ONCE_MAX; made += 1) {
    if (month > oldest && !known.includes(month)) await createMonth(db, month)
    month = nextMonth(month)
  }
}

const createMonth = (db: Database, month: number): Promise<void> =>
  inTransaction(db, async tx => {
    await limitLockWait(tx)
    await sql`lock table logs in share update exclusive mode`.execute(tx)
    if ((await listLogMonths(tx)).includes(month)) return
    const until = sql.lit(nextMonth(month))
    for (const { table, column, key } of PARTITIONED_TABLES) {
      const [all, place, rest] = [table, `${table}_${partitionSuffix(month)}`, `${table}_rest`].map(sql.table)
      const time = sql.ref(column)
      await sql`create table ${place} (like ${all} including defaults, primary key (${sql.ref(key)}))`.execute(
        tx,
      )
      await sql`with moved as (delete from ${rest} where ${time} >= ${month} and ${time} < ${until} returning *)
        insert into ${place} select * from moved`.execute(tx)
      await sql`alter table ${all} attach partition ${place}
        for values from (${sql.lit(month)}) to (${until})`.execute(tx)
    }
  })

/**
 * Drops the oldest month if all of it is older than the given time, with its receipts; gives how many log rows it had.
 * Undefined: there is none, or it is in use. PostgreSQL only.
 */
export async function dropOldestLogMonth(db: Database, beforeSeconds: number): Promise<number | undefined> {
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
  await sql`with kept as (delete from ${receipts} using logs where log_id = id
      and created_at >= ${next} and created_at < ${next + CLOCK_SKEW_SECONDS_MAX} returning log_id, created_at, body)
    insert into receipts (log_id, written_at, body) select log_id, created_at, body from kept`.execute(tx)
  await sql`drop table ${logs}, ${receipts}`.execute(tx)
  return Number(rows[0]?.count ?? 0)
}

/** For a lock; rows that are moved or counted may be many. */
async function limitLockWait(tx: Database): Promise<void> {
  await allowLongStatements(tx)
  await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT)}`.execute(tx)
}

const isLockNotAvailable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE

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
