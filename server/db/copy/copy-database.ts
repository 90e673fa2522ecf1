import { CompiledQuery, sql } from 'kysely'
import {
  type Connection,
  type Database,
  inRawTransaction,
  listMigrations,
  type OpenDatabase,
} from '../engine/database.ts'
import { withoutNul } from '../engine/text.ts'
import { createLogMonths } from '../logs/log-months.ts'
import { copyLastNumber } from './last-number.ts'
import { quoted, type Row, readRows } from './read-rows.ts'
import { listTableShapes, type TableShape } from './table-shapes.ts'

/** Called after every batch. */
export type OnRows = (progress: { readonly table: string; readonly rows: number }) => void

/** Copies a snapshot of a PostgreSQL database into a SQLite database with the same schema. Returns the number of rows. */
export async function copyFromPostgres(
  source: Database,
  target: OpenDatabase,
  onRows: OnRows,
): Promise<number> {
  const shapes = await listTableShapes(target.db)
  await sql`pragma foreign_keys = off`.execute(target.db)
  // The file becomes a backup only when all of it is written, so that a journal would serve nobody.
  await sql`pragma journal_mode = off`.execute(target.db)
  await sql`pragma synchronous = off`.execute(target.db)
  const snapshot = source.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async tx => {
    let rows = 0
    for (const shape of shapes) {
      await sql`delete from ${sql.table(shape.name)}`.execute(target.db)
      for await (const batch of readRows(tx, 'postgres', shape)) {
        await inRawTransaction(target, connection => insertIntoSqlite(connection, shape, batch))
        rows += batch.length
        onRows({ table: shape.name, rows })
      }
      await copyLastNumber({ db: tx, engine: 'postgres' }, target, shape)
    }
    return rows
  })
}

async function insertIntoSqlite(
  connection: Connection,
  { name, columns }: TableShape,
  rows: readonly Row[],
): Promise<void> {
  const cells = columns.map((_, index) => `?${index + 1}`).join(', ')
  const insert = CompiledQuery.raw(`insert into "${name}" (${quoted(columns)}) values (${cells})`)
  for (const row of rows)
    await connection.executeQuery({ ...insert, parameters: columns.map(column => row[column] ?? null) })
}

/**
 * Copies a SQLite database into a PostgreSQL database with the same schema, in one transaction: all of it or nothing. Returns
 * the number of rows.
 */
export async function copyIntoPostgres(
  source: Database,
  target: OpenDatabase,
  onRows: OnRows,
): Promise<number> {
  const shapes = await listTableShapes(source)
  await createMonths(source, target.db)
  return target.db.transaction().execute(async tx => {
    let rows = 0
    for (const shape of shapes.toReversed()) await sql`delete from ${sql.table(shape.name)}`.execute(tx)
    for (const shape of shapes) {
      for await (const batch of readRows(source, 'sqlite', shape)) {
        await insertIntoPostgres(tx, shape, batch)
        rows += batch.length
        onRows({ table: shape.name, rows })
      }
      await copyLastNumber({ db: source, engine: 'sqlite' }, { db: tx, engine: 'postgres' }, shape)
    }
    if (await isPartitioned(tx)) await dateReceipts(tx)
    return rows
  })
}

/** The rows are one parameter, so that their number has no limit and every batch has the same text. */
async function insertIntoPostgres(
  tx: Database,
  { name, columns }: TableShape,
  rows: readonly Row[],
): Promise<void> {
  const names = sql.raw(quoted(columns))
  await sql`insert into ${sql.table(name)} (${names}) select ${names}
    from json_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(rows, storable)}::text::json)`.execute(
    tx,
  )
}

/** SQLite takes texts that PostgreSQL rejects. */
const storable = (_: string, cell: unknown) => (typeof cell === 'string' ? withoutNul(cell) : cell)

/** Rows of each month are kept in a partition of their own, which is dropped as a whole when it is old. */
async function createMonths(source: Database, target: Database): Promise<void> {
  if (!(await isPartitioned(target))) return
  const { rows } = await sql<{ from: number | null; until: number | null }>`
    select min(created_at) as "from", max(created_at) + 1 as until from logs`.execute(source)
  const [{ from, until } = { from: null, until: null }] = rows
  if (from !== null && until !== null) await createLogMonths(target, { from, until })
}

/** Whether log rows and receipts are kept by month. */
async function isPartitioned(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_class where oid = to_regclass('logs') and relkind = 'p'`.execute(db)
  return rows.length > 0
}

/** SQLite stores no time with a receipt. A receipt has the partition of its log row. */
const dateReceipts = (tx: Database) =>
  sql`update receipts set written_at = logs.created_at from logs where logs.id = receipts.log_id`.execute(tx)

/** Whether a gateway ever served from a database: the first start creates a user. */
export async function holdsRows(database: OpenDatabase): Promise<boolean> {
  if ((await listMigrations(database)).applied.length === 0) return false
  const { rows } = await sql`select 1 from users limit 1`.execute(database.db)
  return rows.length > 0
}
