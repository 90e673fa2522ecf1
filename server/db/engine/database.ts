import { SQLiteError, Database as SqliteFile } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { SQL } from 'bun'
import { CompiledQuery, Kysely, Migrator, type QueryResult, sql, type Transaction } from 'kysely'
import { everyMs } from '../../core/clock.ts'
import { errorMessage } from '../../core/errors.ts'
import { migrations } from '../migrations/list.ts'
import type { Engine } from '../migrations/migration.ts'
import { PostgresPool, postgresDialect, STALL_CHECK_MS, withIdleTimeout } from './postgres-dialect.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

/** What every function of this folder takes: the database itself or a transaction on it. */
export type Database = Kysely<Tables>

export interface DatabaseLocation {
  /** `postgres://…`, a path to a SQLite file, or `:memory:`. */
  readonly url: string
  /** `power`: every commit waits for the disk. `process`: a killed process loses nothing, a power cut may. */
  readonly durability: 'process' | 'power'
  /** To PostgreSQL; all of them are made with the first query. */
  readonly connections?: number
}

export interface OpenDatabase {
  readonly db: Database
  readonly engine: Engine
  /** From now on a statement of PostgreSQL's that gets no answer for 20 s fails, and its connection is ended. Call it once. */
  startStallDetection(): void
  close(): Promise<void>
}

const POSTGRES_CONNECTIONS = 10
const POSTGRES_CONNECT_SECONDS_MAX = 5
/** Afterwards the driver waits by itself, so that the process goes on meanwhile. */
const SQLITE_OPEN_BUSY_MS_MAX = 5000
/** 256 MiB of journal. While a gateway serves, `startWriteBack` copies it back long before; this bounds it for all others. */
const SQLITE_CHECKPOINT_PAGES = 65_536

/** Opens the database without touching its schema: `migrate` does that. */
export function openDatabase(location: DatabaseLocation): OpenDatabase {
  return detectEngine(location.url) === 'postgres' ? openPostgres(location) : openSqlite(location)
}

function openSqlite(location: DatabaseLocation): OpenDatabase {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(openSqliteFile(location)) })
  return { db, engine: 'sqlite', startStallDetection: () => undefined, close: () => db.destroy() }
}

function openPostgres(location: DatabaseLocation): OpenDatabase {
  const pool = new PostgresPool(() => createPostgresClient(location))
  const db = new Kysely<Tables>({ dialect: postgresDialect(pool) })
  let stopLooking: () => Promise<void> = async () => undefined
  return {
    db,
    engine: 'postgres',
    startStallDetection() {
      stopLooking = everyMs(STALL_CHECK_MS, async () => pool.closeStalledConnections())
    },
    async close() {
      await stopLooking()
      await pool.close()
      await db.destroy()
    },
  }
}

export const detectEngine = (url: string): Engine => (/^postgres(ql)?:\/\//.test(url) ? 'postgres' : 'sqlite')

/** Brings the schema to the code's version, each step in a transaction. Throws the first step's error; earlier steps stay. */
export async function migrate({ db, engine }: OpenDatabase): Promise<void> {
  const { error } = await createMigrator(db, engine).migrateToLatest()
  if (error)
    throw new Error(`the database schema could not be brought up to date: ${errorMessage(error)}`, {
      cause: error,
    })
}

/** Whether every step of the code has been taken. Rejects when the database does not answer. */
export async function isMigrated({ db, engine }: OpenDatabase): Promise<boolean> {
  const steps = await createMigrator(db, engine).getMigrations()
  return steps.every(step => step.executedAt !== undefined)
}

/** Whether a query can be answered now. */
export async function isReachable(db: Database): Promise<boolean> {
  try {
    await sql`select 1`.execute(db)
    return true
  } catch {
    return false
  }
}

/** Runs `work` in one transaction: all of it is stored, or, when it throws, none of it. */
export const inTransaction = <T>(db: Database, work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> =>
  db.isTransaction ? work(db as Transaction<Tables>) : db.transaction().execute(work)

const BEGIN = {
  sqlite: CompiledQuery.raw('begin immediate'),
  postgres: withIdleTimeout('begin'),
} as const satisfies Readonly<Record<Engine, CompiledQuery>>
const COMMIT = CompiledQuery.raw('commit')
const ROLLBACK = CompiledQuery.raw('rollback')

/**
 * As `inTransaction`, for statements that are prepared once: Kysely's own transactions cost as much as several of them.
 * What a rollback says is not heard: whoever broke off has its reason, and a full disk has rolled back already.
 */
export const inRawTransaction = <T>(
  { db, engine }: Pick<OpenDatabase, 'db' | 'engine'>,
  work: (session: Connection) => Promise<T>,
): Promise<T> =>
  db.getExecutor().provideConnection(async session => {
    await session.executeQuery(BEGIN[engine])
    try {
      const result = await work(session)
      await session.executeQuery(COMMIT)
      return result
    } catch (error) {
      await session.executeQuery(ROLLBACK).catch(() => undefined)
      throw error
    }
  })

/** Steps may be taken out of their order: each gets its number when it is begun, and a later one may be done first. */
function createMigrator(db: Database, engine: Engine): Migrator {
  const steps = migrations.map(
    ({ name, up }) => [name, { up: (any: Kysely<unknown>) => up(any, engine) }] as const,
  )
  return new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(Object.fromEntries(steps)) },
    allowUnorderedMigrations: true,
  })
}

function openSqliteFile(location: DatabaseLocation): SqliteFile {
  try {
    return openConfiguredFile(location)
  } catch (cause) {
    throw new Error(`the database file ${location.url} cannot be used: ${errorMessage(cause)}`, { cause })
  }
}

function openConfiguredFile({ url, durability }: DatabaseLocation): SqliteFile {
  if (url !== ':memory:') mkdirSync(dirname(url), { recursive: true })
  const file = new SqliteFile(url, { create: true, strict: true })
  file.exec(`pragma busy_timeout = ${SQLITE_OPEN_BUSY_MS_MAX}`)
  file.exec('pragma journal_mode = wal')
  file.exec(`pragma synchronous = ${durability === 'power' ? 'full' : 'normal'}`)
  file.exec('pragma foreign_keys = on')
  file.exec('pragma temp_store = memory')
  file.exec(`pragma wal_autocheckpoint = ${SQLITE_CHECKPOINT_PAGES}`)
  file.exec('pragma busy_timeout = 0')
  return file
}

const createPostgresClient = ({ url, connections = POSTGRES_CONNECTIONS }: DatabaseLocation): SQL =>
  new SQL({
    url,
    max: connections,
    connectionTimeout: POSTGRES_CONNECT_SECONDS_MAX,
    bigint: true,
  })

/** What statements are sent to: the database, a transaction on it, or a bare connection. */
export interface Connection {
  executeQuery(query: CompiledQuery): Promise<QueryResult<unknown>>
}

/**
 * Makes sure that only one gateway serves from an embedded database: a second one would take the first one's open
 * holds for abandoned. The lock lies in a file beside the database and goes with the process, however it ends.
 * Throws an Error when another process has it, or the folder takes no files. The function it gives lets go.
 */
export function lockDatabaseFile(path: string): () => void {
  let lock: SqliteFile | undefined
  try {
    mkdirSync(dirname(path), { recursive: true })
    lock = new SqliteFile(`${path}.lock`, { create: true })
    lock.exec('pragma locking_mode = exclusive')
    lock.exec('begin exclusive')
  } catch (cause) {
    lock?.close()
    const isTaken = cause instanceof SQLiteError && cause.code === 'SQLITE_BUSY'
    if (isTaken) throw new Error(`another Tollgate already serves from ${path}`, { cause })
    throw new Error(`the database file ${path} cannot be used: ${errorMessage(cause)}`, { cause })
  }
  return () => lock.close()
}
