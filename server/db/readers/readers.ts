import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { createPostgresClient, type Database, type OpenDatabase } from '../engine/database.ts'
import { COMMIT, PostgresPool } from '../engine/postgres-dialect.ts'
import type { Tables } from '../engine/tables.ts'
import type { Engine } from '../migrations/migration.ts'
import { type ReadCaller, ReadQueue } from './read-queue.ts'
import { SqliteReaders } from './sqlite-readers.ts'

/**
 * Runs the queries of the management API apart from relayed requests: in processes of their own on SQLite, over
 * connections of their own on PostgreSQL. Each query reads what was committed before it began.
 */
export interface Readers {
  /**
   * A database for the queries of one caller, which run one after another. They throw `query.busy` when too many wait and
   * `query.too_slow` beyond the time limit; statements that write fail.
   */
  forCaller(caller: ReadCaller): Database
  /** Runs `work` while no query runs. Calls must not overlap. */
  withoutReads<T>(work: () => Promise<T>): Promise<T>
  stats(): { readonly running: number; readonly waiting: number }
  /** Stops queries in progress. */
  close(): Promise<void>
}

/** One processor of two stays free for relaying. */
const QUERIES_RUNNING_MAX = 2
const QUERIES_WAITING_MAX = 1000
/** A page of the console asks fewer at once. */
const QUERIES_WAITING_PER_CALLER_MAX = 100
/** The console gives up after 30 s. */
const QUERY_MS_MAX = 10_000
const WAIT_MS_MAX = 15_000

interface ConnectionSource {
  acquire(): Promise<DatabaseConnection>
  release(connection: DatabaseConnection): void | Promise<void>
  close(): Promise<void>
}

/** Starts processes and connections when they are needed. A database in memory has no readers: its queries run in place. */
export function openReaders(database: OpenDatabase, queryMsMax = QUERY_MS_MAX): Readers {
  const { engine, db, location } = database
  const queue = new ReadQueue({
    running: QUERIES_RUNNING_MAX,
    waiting: QUERIES_WAITING_MAX,
    waitingPerCaller: QUERIES_WAITING_PER_CALLER_MAX,
    waitMs: WAIT_MS_MAX,
  })
  const source = createSource(database, queryMsMax)
  return {
    forCaller: caller =>
      location.url === ':memory:'
        ? db
        : new Kysely<Tables>({ dialect: readDialect(engine, { queue, source, caller }) }),
    withoutReads: work => queue.withoutReads(work),
    stats: () => ({ running: queue.running, waiting: queue.waiting }),
    async close() {
      queue.close()
      await source.close()
    },
  }
}

const createSource = ({ engine, location }: OpenDatabase, queryMsMax: number): ConnectionSource =>
  engine === 'sqlite'
    ? new SqliteReaders(location.url, queryMsMax)
    : openPostgresReaders(location.url, queryMsMax)

/** A pooler in between may share sessions or refuse their settings, so the limits of a query are those of its transaction. */
function openPostgresReaders(url: string, queryMsMax: number): ConnectionSource {
  const location = { durability: 'process', connections: QUERIES_RUNNING_MAX } as const
  const pool = new PostgresPool(server => createPostgresClient({ ...location, ...server }), url)
  const stopWatching = pool.watch()
  const begin = CompiledQuery.raw(`begin read only; set local statement_timeout = ${queryMsMax}`)
  return {
    async acquire() {
      const connection = await pool.acquire()
      try {
        await connection.executeQuery(begin)
        return connection
      } catch (error) {
        pool.release(connection)
        throw error
      }
    },
    async release(connection) {
      await connection.executeQuery(COMMIT).catch(() => undefined)
      pool.release(connection)
    },
    async close() {
      await stopWatching()
      await pool.close()
    },
  }
}

interface ReadDeps {
  readonly queue: ReadQueue
  readonly source: ConnectionSource
  readonly caller: ReadCaller
}

const readDialect = (engine: Engine, deps: ReadDeps): Dialect => ({
  createAdapter: () => (engine === 'sqlite' ? new SqliteAdapter() : new PostgresAdapter()),
  createDriver: () => new ReadDriver(deps),
  createIntrospector: db => (engine === 'sqlite' ? new SqliteIntrospector(db) : new PostgresIntrospector(db)),
  createQueryCompiler: () => (engine === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
})

class ReadDriver implements Driver {
  private readonly deps: ReadDeps

  constructor(deps: ReadDeps) {
    this.deps = deps
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const { queue, source, caller } = this.deps
    await queue.enter(caller)
    try {
      return await source.acquire()
    } catch (error) {
      queue.leave(caller.key)
      throw error
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    await this.deps.source.release(connection)
    this.deps.queue.leave(this.deps.caller.key)
  }

  beginTransaction(): Promise<void> {
    return this.rejectTransaction()
  }

  commitTransaction(): Promise<void> {
    return this.rejectTransaction()
  }

  rollbackTransaction(): Promise<void> {
    return this.rejectTransaction()
  }

  /** A snapshot that stays open would keep the journal of SQLite from starting over. */
  private rejectTransaction(): Promise<void> {
    return Promise.reject(new Error('readers have no transactions'))
  }

  destroy(): Promise<void> {
    return Promise.resolve()
  }
}
