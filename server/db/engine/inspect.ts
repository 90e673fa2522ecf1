import { sql } from 'kysely'
import { type Database, inRawTransaction, listMigrations, type OpenDatabase } from './database.ts'

/** The state of a database, for operators who have not started the gateway yet. */
export interface DatabaseInspection {
  /** The engine with its version, such as `PostgreSQL 18.1`. */
  readonly version: string
  /** Migrations of this program that the next start applies. All of them: the database is empty. */
  readonly pending: readonly string[]
  readonly isEmpty: boolean
  /** Migrations of a newer program. */
  readonly unknown: readonly string[]
  readonly isWritable: boolean
  /** The clock of a PostgreSQL server in milliseconds. Undefined for a file. */
  readonly serverMs: number | undefined
}

/** Reads the state of a database and changes nothing in it. Rejects when it does not respond. */
export async function inspectDatabase(database: OpenDatabase): Promise<DatabaseInspection> {
  const { db, engine } = database
  const { pending, applied } = await listMigrations(database)
  const isEmpty = applied.length === 0
  const server = engine === 'postgres' ? await readServer(db, isEmpty) : undefined
  return {
    version: server?.version ?? `SQLite ${await readSqliteVersion(db)}`,
    pending,
    isEmpty,
    unknown: isEmpty ? [] : await listUnknownMigrations(db, applied),
    isWritable: server?.isWritable ?? (await acceptsWrites(database)),
    serverMs: server?.ms,
  }
}

async function readServer(db: Database, isEmpty: boolean) {
  const privilege = isEmpty
    ? sql<boolean>`has_schema_privilege(current_schema(), 'create')`
    : sql<boolean>`has_table_privilege('users', 'insert, update')`
  const { rows } = await sql<{ version: string; ms: string; is_read_only: string; is_granted: boolean }>`
    select current_setting('server_version') as version,
      floor(extract(epoch from clock_timestamp()) * 1000)::text as ms,
      current_setting('transaction_read_only') as is_read_only,
      ${privilege} as is_granted`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the server returned no row')
  return {
    version: `PostgreSQL ${row.version}`,
    ms: Number(row.ms),
    isWritable: row.is_read_only === 'off' && row.is_granted,
  }
}

async function readSqliteVersion(db: Database): Promise<string> {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db)
  return rows[0]?.version ?? ''
}

async function listUnknownMigrations(db: Database, known: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name).filter(name => !known.includes(name))
}

/** Begins a transaction that writes, as every change does, and stores nothing. */
const acceptsWrites = (database: OpenDatabase): Promise<boolean> =>
  inRawTransaction(database, async () => true).catch(() => false)
