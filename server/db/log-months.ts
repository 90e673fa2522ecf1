import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import type { Span } from './log-filter.ts'
import { allowLong } from './postgres-dialect.ts'

/** On PostgreSQL these lie by month, by this column, each month with a key of its own; in `…_rest` what no month takes. */
const BY_MONTH = [
  { table: 'logs', column: 'created_at', key: 'id' },
  { table: 'receipts', column: 'written_at', key: 'log_id' },
] as const

/** Somebody who reads for long must not make everybody else wait behind this. */
const LOCK_WAIT = '2s'
const LOCK_REFUSED = '55P03'
const MONTHS_AT_ONCE_MAX = 120
/** The database's clock, which dates receipts, and ours, which dates rows, differ by less. */
const CLOCKS_APART_SECONDS_MAX = 3600

const monthOf = (seconds: number): number => {
  const date = new Date(seconds * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000
}

const monthAfter = (month: number): number => monthOf(month + 32 * 24 * 3600)

/** As in `logs_2026_11`. */
const nameOf = (month: number): string => new Date(month * 1000).toISOString().slice(0, 7).replace('-', '_')

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
export async function makeLogMonths(db: Database, { from, until }: Span): Promise<void> {
  const known = await listLogMonths(db)
  const oldest = known[0] ?? 0
  let month = monthOf(from)
  for (let made = 0; month < until && made < MONTHS_AT_ONCE_MAX; made += 1) {
    if (month > oldest && !known.includes(month)) await makeMonth(db, month)
    month = monthAfter(month)
  }
}

const makeMonth = (db: Database, month: number): Promise<void> =>
  inTransaction(db, async tx => {
    await waitShortly(tx)
    await sql`lock table logs in share update exclusive mode`.execute(tx)
    if ((await listLogMonths(tx)).includes(month)) return
    const until = sql.lit(monthAfter(month))
    for (const { table, column, key } of BY_MONTH) {
      const [all, place, rest] = [table, `${table}_${nameOf(month)}`, `${table}_rest`].map(sql.table)
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
  if (month === undefined || monthAfter(month) > beforeSeconds) return undefined
  try {
    return await inTransaction(db, tx => dropMonth(tx, month))
  } catch (error) {
    if (isLockRefused(error)) return undefined
    throw error
  }
}

async function dropMonth(tx: Database, month: number): Promise<number> {
  await waitShortly(tx)
  const [logs, receipts] = ['logs', 'receipts'].map(table => sql.table(`${table}_${nameOf(month)}`))
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${logs}`.execute(tx)
  const next = monthAfter(month)
  await sql`with kept as (delete from ${receipts} using logs where log_id = id
      and created_at >= ${next} and created_at < ${next + CLOCKS_APART_SECONDS_MAX} returning log_id, created_at, body)
    insert into receipts (log_id, written_at, body) select log_id, created_at, body from kept`.execute(tx)
  await sql`drop table ${logs}, ${receipts}`.execute(tx)
  return Number(rows[0]?.count ?? 0)
}

/** For a lock; rows that are moved or counted may be many. */
async function waitShortly(tx: Database): Promise<void> {
  await allowLong(tx)
  await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT)}`.execute(tx)
}

const isLockRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === LOCK_REFUSED
