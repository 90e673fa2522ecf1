import type { ReservedSQL, SQL } from 'bun'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { errorMessage } from '../../core/errors.ts'
import { queryTimeout } from './query-errors.ts'
import type { Tables } from './tables.ts'

/** Shorter than the lease of holds: a recovery that releases the holds of a process must not wait for its locks. */
const IDLE_IN_TRANSACTION_MS_MAX = 15_000
const COMMIT = CompiledQuery.raw('commit')
const ROLLBACK = CompiledQuery.raw('rollback')

/** A statement without a response after 20 consecutive checks, 20 s, counts as stalled. */
const STALL_CHECKS_MAX = 20
export const STALL_CHECK_MS = 1000
const CLOSE_SECONDS_MAX = 2

/**
 * Begins a transaction that the server aborts when it is idle for too long. Otherwise a process that is paused or cut off
 * in the middle of a transaction would keep its rows locked until it is back.
 */
export const beginWithIdleTimeout = (begin: string): CompiledQuery =>
  CompiledQuery.raw(`${begin}; set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS_MAX}`)

/** Kysely on Bun's PostgreSQL client. */
export function postgresDialect(pool: PostgresPool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool),
    createIntrospector: db => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/**
 * A client and its connections in use. Create the client with `bigint: true`: by default it returns 64-bit integers as
 * texts, which cannot be told from text columns.
 */
export class PostgresPool {
  private readonly createClient: () => SQL
  private readonly place: string
  private client: SQL
  private readonly acquired = new Map<DatabaseConnection, PostgresConnection>()

  constructor(createClient: () => SQL, url: string) {
    this.createClient = createClient
    this.place = placeOf(url)
    this.client = createClient()
  }

  async acquire(): Promise<DatabaseConnection> {
    const reserved = await this.client.reserve().catch(cause => {
      throw explained(cause, `PostgreSQL at ${this.place} (DATABASE_URL) cannot be used: `)
    })
    const connection = new PostgresConnection(reserved)
    this.acquired.set(connection, connection)
    return connection
  }

  release(connection: DatabaseConnection): void {
    this.acquired.get(connection)?.release()
    this.acquired.delete(connection)
  }

  /**
   * Terminates connections whose server does not respond, and replaces the client, whose idle connections may be broken
   * too. Call it every STALL_CHECK_MS. A machine or network that is gone sends no error, and the operating system would
   * wait for a quarter of an hour.
   */
  closeStalledConnections(): void {
    const stalled = [...this.acquired.values()].filter(connection => connection.checkStalled())
    if (stalled.length === 0) return
    const previous = this.client
    this.client = this.createClient()
    for (const connection of stalled) connection.terminate()
    closeClient(previous).catch(() => undefined)
  }

  close(): Promise<void> {
    return closeClient(this.client)
  }
}

/** Host and port, without the password. */
const placeOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'an unreadable address')

/** What an operator can do about errors of connections. */
const HINTS: readonly (readonly [error: RegExp, hint: string])[] = [
  [
    /startup parameter/,
    'a pooler in between refuses the settings of queries: connect to PostgreSQL itself, or set ignore_startup_parameters = statement_timeout,default_transaction_read_only in PgBouncer',
  ],
  [
    /prepared statement/,
    'a pooler in between shares connections by transaction: set pool_mode = session in PgBouncer, or connect to PostgreSQL itself',
  ],
  [/authentication|password/, 'percent-encode @ # / ? in the password'],
]

/** The error with its place and what to do about it. Keeps its code, by which lost connections are known. */
function explained(cause: unknown, place = ''): Error {
  const reason = errorMessage(cause)
  const hint = HINTS.find(([error]) => error.test(reason))?.[1]
  const error = new Error(`${place}${reason}${hint === undefined ? '' : `; ${hint}`}`, { cause })
  return Object.assign(error, { code: Object(cause).code })
}

/** Without a timeout the client waits forever for a running query. */
const closeClient = (client: SQL): Promise<void> => client.close({ timeout: CLOSE_SECONDS_MAX })

/** Exempts the remaining statements of this transaction from stall detection. */
export const allowLongStatements = (tx: Kysely<Tables>): Promise<void> =>
  tx.getExecutor().provideConnection(async connection => {
    if (connection instanceof PostgresConnection) connection.allowLongStatements()
  })

class PostgresDriver implements Driver {
  private readonly pool: PostgresPool

  constructor(pool: PostgresPool) {
    this.pool = pool
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return this.pool.acquire()
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.pool.release(connection)
  }

  async beginTransaction(
    connection: DatabaseConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    const level = isolationLevel ? ` isolation level ${isolationLevel}` : ''
    const begin = `begin${level} ${accessMode ?? ''}`
    await connection.executeQuery(
      accessMode === 'read only' ? CompiledQuery.raw(begin) : beginWithIdleTimeout(begin),
    )
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(COMMIT)
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(ROLLBACK)
  }

  destroy(): Promise<void> {
    return this.pool.close()
  }
}

type ResultRow = Record<string, unknown>

class PostgresConnection implements DatabaseConnection {
  private readonly reserved: ReservedSQL
  private isQueryRunning = false
  private areLongStatementsAllowed = false
  private stallChecks = 0

  constructor(reserved: ReservedSQL) {
    this.reserved = reserved
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    this.isQueryRunning = true
    this.stallChecks = 0
    try {
      const rows = await this.reserved.unsafe(sql, [...parameters])
      return { rows: withNumbers<Row>([...rows]), numAffectedRows: BigInt(rows.count ?? 0) }
    } catch (error) {
      throw withSqlState(error)
    } finally {
      this.isQueryRunning = false
    }
  }

  /** Counts a check. Checks are counted instead of time, so that a paused process first reads responses that have arrived. */
  checkStalled(): boolean {
    if (!this.isQueryRunning || this.areLongStatementsAllowed) return false
    this.stallChecks += 1
    return this.stallChecks > STALL_CHECKS_MAX
  }

  allowLongStatements(): void {
    this.areLongStatementsAllowed = true
  }

  /** The running statement rejects. Only the server knows whether it was executed. */
  terminate(): void {
    this.stallChecks = 0
    this.reserved.close({ timeout: 0 }).catch(() => undefined)
  }

  release(): void {
    this.reserved.release()
  }

  // biome-ignore lint/correctness/useYield: it always throws, since the client has no cursors
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are not streamed from PostgreSQL')
  }
}

/** Converts 64-bit integers to numbers: none here exceeds 2^53. Trusts that the rows have the shape the query builder declares. */
function withNumbers<Row>(rows: readonly ResultRow[]): Row[] {
  for (const row of rows)
    for (const name in row) {
      const cell = row[name]
      if (typeof cell === 'bigint') row[name] = Number(cell)
    }
  return rows as Row[]
}

/** The server stopped a statement, at the `statement_timeout` of its connection. */
const QUERY_CANCELLED = '57014'

/** Sets `code` of the error to the server's SQLSTATE where there is one. */
function withSqlState(error: unknown): unknown {
  if (!(error instanceof Bun.SQL.PostgresError) || !error.errno) return error
  if (String(error.errno) === QUERY_CANCELLED) return queryTimeout('too_slow')
  return Object.assign(explained(error), { code: error.errno })
}
