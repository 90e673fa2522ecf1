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
import type { Tables } from './tables.ts'

/** Less than a lease of holds: who gives back what a process held must not wait for that process. */
const IDLE_IN_TRANSACTION_MS_MAX = 15_000
const COMMIT = CompiledQuery.raw('commit')
const ROLLBACK = CompiledQuery.raw('rollback')

/** How many looks in a row find a statement without an answer before its connection is given up: 20 s. */
const STALL_CHECKS_MAX = 20
export const STALL_CHECK_MS = 1000
const CLOSE_SECONDS_MAX = 2

/**
 * Begins a transaction, and has the server end it when its process says nothing for long: one that was paused or cut off
 * in the middle would keep its rows locked to all others until it is back.
 */
export const withIdleTimeout = (begin: string): CompiledQuery =>
  CompiledQuery.raw(`${begin}; set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS_MAX}`)

/** Kysely on the runtime's own client. */
export function postgresDialect(pool: PostgresPool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool),
    createIntrospector: db => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** The runtime's own client, whose whole numbers must be told from texts (`bigint: true`), and its connections in use. */
export class PostgresPool {
  private readonly createClient: () => SQL
  private client: SQL
  private readonly acquired = new Map<DatabaseConnection, PostgresConnection>()

  constructor(open: () => SQL) {
    this.createClient = open
    this.client = open()
  }

  async acquire(): Promise<DatabaseConnection> {
    const connection = new PostgresConnection(await this.client.reserve())
    this.acquired.set(connection, connection)
    return connection
  }

  release(connection: DatabaseConnection): void {
    this.acquired.get(connection)?.release()
    this.acquired.delete(connection)
  }

  /**
   * To be called every LOOK_MS: ends connections whose server gives no answer, and leaves all others behind, which may have
   * heard their last word too. A machine that is gone, or a network that has forgotten a connection, says nothing, and the
   * system waits for a quarter of an hour.
   */
  closeStalledConnections(): void {
    const silent = [...this.acquired.values()].filter(connection => connection.checkStalled())
    if (silent.length === 0) return
    const former = this.client
    this.client = this.createClient()
    for (const connection of silent) connection.terminate()
    closeClient(former).catch(() => undefined)
  }

  close(): Promise<void> {
    return closeClient(this.client)
  }
}

/** It waits without end for a query that is under way, so the wait is bounded here. */
const closeClient = (client: SQL): Promise<void> => client.close({ timeout: CLOSE_SECONDS_MAX })

/** What this transaction still asks may take as long as it takes. */
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
      accessMode === 'read only' ? CompiledQuery.raw(begin) : withIdleTimeout(begin),
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

type Cells = Record<string, unknown>

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

  /** Looks are counted, not time: a process that was paused itself must hear first what came meanwhile. */
  checkStalled(): boolean {
    if (!this.isQueryRunning || this.areLongStatementsAllowed) return false
    this.stallChecks += 1
    return this.stallChecks > STALL_CHECKS_MAX
  }

  allowLongStatements(): void {
    this.areLongStatementsAllowed = true
  }

  /** What it was asked rejects. What came of that is known only to the server. */
  terminate(): void {
    this.stallChecks = 0
    this.reserved.close({ timeout: 0 }).catch(() => undefined)
  }

  release(): void {
    this.reserved.release()
  }

  // biome-ignore lint/correctness/useYield: nothing asks for it, and the client has no cursors
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are not streamed from PostgreSQL')
  }
}

/** Whole numbers of 64 bits as numbers: none here is beyond 2^53. The shape of a row is what its statement's builder says. */
function withNumbers<Row>(rows: readonly Cells[]): Row[] {
  for (const row of rows)
    for (const name in row) {
      const cell = row[name]
      if (typeof cell === 'bigint') row[name] = Number(cell)
    }
  return rows as Row[]
}

/** The server's SQLSTATE as the error's code, where it says one. */
const withSqlState = (error: unknown): unknown =>
  error instanceof Bun.SQL.PostgresError && error.errno
    ? Object.assign(new Error(error.message, { cause: error }), { code: error.errno })
    : error
