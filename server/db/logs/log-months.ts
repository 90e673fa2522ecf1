import { sql } from 'kysely'
import { type Database, inTransaction } from '../engine/database.ts'
import { allowLongStatements } from '../engine/postgres-dialect.ts'
import type { TimeRange } from './log-filter.ts'

/**
 * Tables that PostgreSQL partitions by month of `column`. Each partition has its own primary key; rows outside all months
 * are in the partition `…_rest`.
 */
const PARTITIONED_TABLES = [
  { table: 'logs', column: 'created_at', key: 'id' },
  { table: 'receipts', column: 'written_at', key: 'log_id' },
] as const

/** A lock that waits for a long-running query blocks all later queries. */
const LOCK_WAIT = '2s'
const MONTHS_AT_ONCE_MAX = 120

/** The months that have a partition, oldest first, as Unix seconds of their start in UTC. PostgreSQL only. */
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
 * Creates a partition for each month of the range and moves existing rows into it. Skips months before the oldest
 * partition, which holds all older rows. Throws when the table stays locked for too long; call it again later.
 * PostgreSQL only.
 */
export async function createLogMonths(db: Database, { from, until }: TimeRange): Promise<void> {
  const existing = await listLogMonths(db)
  const oldest = existing[0] ?? 0
  let month = startOfMonth(from)
  for (let count = 0; month < until && count < MONTHS_AT_ONCE_MAX; count += 1) {
    if (month > oldest && !existing.includes(month)) await createMonth(db, month)
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
      const [parent, partition, rest] = [table, `${table}_${partitionSuffix(month)}`, `${table}_rest`].map(
        sql.table,
      )
      const time = sql.ref(column)
      await sql`create table ${partition} (like ${parent} including defaults, primary key (${sql.ref(key)}))`.execute(
        tx,
      )
      await sql`with moved as (delete from ${rest} where ${time} >= ${month} and ${time} < ${until} returning *)
        insert into ${partition} select * from moved`.execute(tx)
      await sql`alter table ${parent} attach partition ${partition}
        for values from (${sql.lit(month)}) to (${until})`.execute(tx)
    }
  })

/** Limits the wait for a lock. The statements themselves may take long, since they move or count many rows. */
export async function limitLockWait(tx: Database): Promise<void> {
  await allowLongStatements(tx)
  await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT)}`.execute(tx)
}

const startOfMonth = (seconds: number): number => {
  const date = new Date(seconds * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000
}

export const nextMonth = (month: number): number => startOfMonth(month + 32 * 24 * 3600)

/** For example `2026_11` in `logs_2026_11`. */
export const partitionSuffix = (month: number): string =>
  new Date(month * 1000).toISOString().slice(0, 7).replace('-', '_')
