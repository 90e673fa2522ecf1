import { SQLiteError, Database as SqliteFile } from 'bun:sqlite'
import { dirname } from 'node:path'
import { SQL } from 'bun'
import { CompiledQuery, Kysely, Migrator, type QueryResult, type Transaction } from 'kysely'
import { elapsedMs, sleepMs } from '../../core/clock.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import {
  createPrivateFile,
  createPrivateFolder,
  makeDataFolderPrivate,
  makeFilePrivate,
} from '../../core/private-files.ts'
import { listServerAddresses } from '../../core/server-addresses.ts'
import type { Engine, Migration } from '../migrations/migration.ts'
import { beginWithIdleTimeout, PostgresPool, postgresDialect } from './postgres-dialect.ts'
import { isServerLost } from './query-errors.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

/** The database itself or a transaction on it. Functions of `db` that need a transaction call the parameter `tx`. */
export type Database = Kysely<Tables>

/** Executes prepared statements: the database, a transaction on it, or a bare connection. */
export interface Connection {
  executeQuery(query: CompiledQuery): Promise<QueryResult<unknown>>
}

export interface DatabaseLocation {
  /** `postgres://…`, of one or several servers, a path to a SQLite file, or `:memory:`. */
  readonly url: string
  /** `power`: every commit waits for the disk. `process`: commits survive a crash of the process, but not of the machine. */
  readonly durability: 'process' | 'power'
  /** The size of the pool for PostgreSQL, which the first query fills. */
  readonly connections?: number
  /** Whether statements for PostgreSQL stay prepared; by default they do. */
  readonly isPrepared?: boolean
}

export interface OpenDatabase {
  readonly db: Database
  readonly engine: Engine
  readonly location: DatabaseLocation
  /** The schema of this program; empty where it only reads and writes. */
  readonly migrations: readonly Migration[]
  /** On SQLite, differs from every earlier mark once any process has changed the database. Undefined on PostgreSQL. */
  changeMark(): Promise<string | undefined>
  /**
   * Fails statements to which PostgreSQL does not respond within 20 s, or at once when another server of the address was promoted,
   * and closes their connections. Call it once. Does nothing on SQLite.
   */
  startStallDetection(): void
  close(): Promise<void>
}

/** A database, or a transaction on it, with its engine. */
export type EngineDatabase = Pick<OpenDatabase, 'db' | 'engine'>

const POSTGRES_CONNECTIONS = 10
const POSTGRES_CONNECT_SECONDS_MAX = 5

/**
 * Only while opening: afterwards the driver retries without blocking the process. Readers of a killed gateway keep the file
 * until they notice, which takes seconds on a busy machine.
 */
const SQLITE_OPEN_BUSY_MS_MAX = 30_000

/** 256 MiB of journal. A serving gateway copies it back long before (`startWriteBack`); this bounds all other processes. */
const SQLITE_CHECKPOINT_PAGES = 65_536

const PING = CompiledQuery.raw('select 1')

/** What a longer journal takes of the disk is returned once it starts over: 64 MiB, beyond which it does so by itself. */
const SQLITE_JOURNAL_BYTES_MAX = 64 * 1024 * 1024

/** Commits of other connections, and changes over this one (sqlite.org/pragma.html#pragma_data_version). */
const CHANGE_MARK = CompiledQuery.raw(
  "select data_version || '.' || total_changes() as mark from pragma_data_version",
)

/**
 * Opens the database without touching its schema: `migrate` does that, given the migrations of the program. What asks
 * for the schema throws without them.
 */
export function openDatabase(
  location: DatabaseLocation,
  migrations: readonly Migration[] = [],
): OpenDatabase {
  const opened = detectEngine(location.url) === 'postgres' ? openPostgres(location) : openSqlite(location)
  return { ...opened, migrations }
}

type OpenEngine = Omit<OpenDatabase, 'migrations'>

export function openSqlite(location: DatabaseLocation, file = openSqliteFile(location)): OpenEngine {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(file) })
  const close = () => db.destroy()
  return {
    db,
    engine: 'sqlite',
    location,
    changeMark: async () => (await db.executeQuery<{ mark: string }>(CHANGE_MARK)).rows[0]?.mark,
    startStallDetection: () => undefined,
    close,
  }
}

function openPostgres(location: DatabaseLocation): OpenEngine {
  const pool = new PostgresPool(server => createPostgresClient({ ...location, ...server }), location.url)
  const db = new Kysely<Tables>({ dialect: postgresDialect(pool) })
  let stopStallDetection: () => Promise<void> = async () => undefined
  return {
    db,
    engine: 'postgres',
    location,
    changeMark: async () => undefined,
    startStallDetection() {
      stopStallDetection = pool.watch()
    },
    async close() {
      await stopStallDetection()
      await pool.close()
      await db.destroy()
    },
  }
}

/** How long a start waits for the promotion of a standby. */
const PROMOTION_MS_MAX = 60_000
const PING_PAUSE_MS = 500

/**
 * Waits while none of the servers of an address accepts writes: one of them may be about to be promoted. Rejects with the reason
 * after a minute, and at once for an address of one server.
 */
export async function untilPromoted(
  { db, location }: Pick<OpenDatabase, 'db' | 'location'>,
  log: Pick<Logger, 'warn'>,
  waitMs = PROMOTION_MS_MAX,
): Promise<void> {
  const deadlineMs = listServerAddresses(location.url).length > 1 ? elapsedMs() + waitMs : 0
  for (let pings = 0; ; pings += 1) {
    const error = await db.executeQuery(PING).catch((reason: unknown) => reason)
    if (!(error instanceof Error)) return
    if (!isServerLost(error) || elapsedMs() > deadlineMs) throw error
    if (pings === 0) log.warn(`the start waits for a server that accepts writes: ${error.message}`)
    await sleepMs(PING_PAUSE_MS)
  }
}

export const detectEngine = (url: string): Engine => (/^postgres(ql)?:\/\//.test(url) ? 'postgres' : 'sqlite')

/**
 * Applies the pending migrations, each in a transaction. Throws the error of the first that fails; earlier ones stay applied.
 * With `names`, only those: the schema of an earlier version.
 */
export async function migrate(database: OpenDatabase, names?: readonly string[]): Promise<void> {
  const { error } = await createMigrator(database, names).migrateToLatest()
  const newer = /previously executed migration (\S+) is missing/.exec(errorMessage(error))?.[1]
  if (newer !== undefined) throw new Error(newerDatabase(newer), { cause: error })
  if (error)
    throw new Error(`the database schema could not be brought up to date: ${errorMessage(error)}`, {
      cause: error,
    })
}

export const newerDatabase = (migrations: string): string =>
  `A newer version has migrated the database (${migrations}): install that version, or restore a backup.`

/** The names of this program's migrations, by whether they are applied. Rejects when the database is not reachable. */
export async function listMigrations(database: OpenDatabase) {
  const all = await createMigrator(database).getMigrations()
  const named = (isApplied: boolean): readonly string[] =>
    all.filter(({ executedAt }) => (executedAt !== undefined) === isApplied).map(({ name }) => name)
  return { applied: named(true), pending: named(false) }
}

/** Whether all migrations are applied. Rejects when the database is not reachable. */
export const isMigrated = async (database: OpenDatabase): Promise<boolean> =>
  (await listMigrations(database)).pending.length === 0

/** Runs `work` in one transaction: all of it is stored or, when it throws, nothing. */
export const inTransaction = <T>(db: Database, work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> =>
  db.isTransaction ? work(db as Transaction<Tables>) : db.transaction().execute(work)

/**
 * Wraps work that depends on the database alone: skips it while nothing has changed since its last run that did not throw.
 * On PostgreSQL it always runs.
 */
export function unlessUnchanged(
  database: Pick<OpenDatabase, 'changeMark'>,
  work: () => Promise<void>,
): () => Promise<void> {
  let lastMark: string | undefined
  return async () => {
    // Read before the work, so that a change during it counts as a new one.
    const mark = await database.changeMark()
    if (mark !== undefined && mark === lastMark) return
    await work()
    lastMark = mark
  }
}

const BEGIN = {
  sqlite: CompiledQuery.raw('begin immediate'),
  postgres: beginWithIdleTimeout('begin'),
} as const satisfies Readonly<Record<Engine, CompiledQuery>>
const COMMIT = CompiledQuery.raw('commit')
const ROLLBACK = CompiledQuery.raw('rollback')

/**
 * Like `inTransaction`, for prepared statements: a transaction of Kysely costs as much as several of those.
 * Errors of the rollback are ignored: the first error is the cause, and SQLite has rolled back by itself on a full disk.
 */
export const inRawTransaction = <T>(
  { db, engine }: Pick<OpenDatabase, 'db' | 'engine'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> =>
  db.getExecutor().provideConnection(async connection => {
    await connection.executeQuery(BEGIN[engine])
    try {
      const result = await work(connection)
      await connection.executeQuery(COMMIT)
      return result
    } catch (error) {
      await connection.executeQuery(ROLLBACK).catch(() => undefined)
      throw error
    }
  })

/** Unordered, because branches number their migrations when they begin and may land in another order. */
function createMigrator({ db, engine, migrations }: OpenDatabase, names?: readonly string[]): Migrator {
  if (migrations.length === 0)
    throw new Error('the database was opened without the migrations of the program')
  const chosen = migrations.filter(({ name }) => names?.includes(name) ?? true)
  const byName = chosen.map(
    ({ name, up }) => [name, { up: (schema: Kysely<unknown>) => up(schema, engine) }] as const,
  )
  return new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(Object.fromEntries(byName)) },
    allowUnorderedMigrations: true,
  })
}

function openSqliteFile(location: DatabaseLocation): SqliteFile {
  try {
    if (location.url !== ':memory:') protectFiles(location.url)
    return configured(new SqliteFile(location.url, { create: true, strict: true }), location)
  } catch (cause) {
    const hint = /malformed|not a database/.test(errorMessage(cause))
      ? '; `tollgate restore` brings back a backup'
      : ''
    throw new Error(`the database file ${location.url} cannot be used: ${errorMessage(cause)}${hint}`, {
      cause,
    })
  }
}

export function configured(file: SqliteFile, { durability }: DatabaseLocation): SqliteFile {
  file.exec(`pragma busy_timeout = ${SQLITE_OPEN_BUSY_MS_MAX}`)
  // Before the first table; older files change with their next rewriting.
  file.exec('pragma auto_vacuum = incremental')
  file.exec('pragma journal_mode = wal')
  file.exec(`pragma synchronous = ${durability === 'power' ? 'full' : 'normal'}`)
  file.exec('pragma foreign_keys = on')
  file.exec('pragma temp_store = memory')
  file.exec(`pragma wal_autocheckpoint = ${SQLITE_CHECKPOINT_PAGES}`)
  file.exec(`pragma journal_size_limit = ${SQLITE_JOURNAL_BYTES_MAX}`)
  file.exec('pragma busy_timeout = 0')
  return file
}

/** SQLite gives its journals the permissions of the database file. */
function protectFiles(path: string): void {
  createPrivateFolder(dirname(path))
  createPrivateFile(path)
  for (const suffix of JOURNAL_SUFFIXES) makeFilePrivate(`${path}${suffix}`)
  makeDataFolderPrivate(dirname(path))
}

const JOURNAL_SUFFIXES = ['-wal', '-shm', '-journal'] as const

export const createPostgresClient = (
  { url, connections = POSTGRES_CONNECTIONS, isPrepared = true }: DatabaseLocation,
  onclose?: () => void,
): SQL =>
  new SQL({
    url,
    max: connections,
    connectionTimeout: POSTGRES_CONNECT_SECONDS_MAX,
    bigint: true,
    ...(onclose && { onclose }),
    ...(isPrepared ? {} : { prepare: false }),
  })

/**
 * Ensures that only one gateway serves from a SQLite database: a second one would release the open holds of the first.
 * Returns a function that releases the lock. Throws an Error when another process has it, or the folder is not writable.
 */
export function lockDatabaseFile(path: string): () => void {
  let unlock: (() => void) | undefined
  try {
    unlock = lockFile(`${path}.lock`)
  } catch (cause) {
    throw new Error(`the database file ${path} cannot be used: ${errorMessage(cause)}`, { cause })
  }
  if (unlock) return unlock
  throw new Error(`another Tollgate already serves from ${path}`)
}

/**
 * Takes a lock that ends with the process, however it exits, and returns a function that releases it. Undefined: another
 * process has it. Throws an Error when the file cannot be written.
 */
export function lockFile(path: string): (() => void) | undefined {
  let lock: SqliteFile | undefined
  try {
    createPrivateFolder(dirname(path))
    createPrivateFile(path)
    lock = new SqliteFile(path, { create: true })
    lock.exec('pragma locking_mode = exclusive')
    lock.exec('begin exclusive')
  } catch (cause) {
    lock?.close()
    if (cause instanceof SQLiteError && cause.code === 'SQLITE_BUSY') return undefined
    throw cause
  }
  return () => lock.close()
}
