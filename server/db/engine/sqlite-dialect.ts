import { SQLiteError, type SQLQueryBindings, type Database as SqliteFile, type Statement } from 'bun:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { elapsedMs, sleepMs } from '../../core/clock.ts'

/** How many prepared statements are kept: more than the code has, so that hot ones are never prepared again. */
const PREPARED_STATEMENTS_MAX = 500

/** How long another program may keep the file to itself before a statement is given up. */
const BUSY_RETRY_MS_MAX = 5000
const BUSY_RETRY_PAUSE_MS = 10

const BEGIN = CompiledQuery.raw('begin immediate')
/** Sees the database as it is now until it ends, and keeps no writer waiting. */
const BEGIN_READ_ONLY = CompiledQuery.raw('begin')
const COMMIT = CompiledQuery.raw('commit')
const ROLLBACK = CompiledQuery.raw('rollback')

/** Kysely on the runtime's own SQLite. One connection: a transaction holds it, everything else waits its turn. */
export function sqliteDialect(file: SqliteFile): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => new SqliteDriver(file),
    createIntrospector: db => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class SqliteDriver implements Driver {
  private readonly file: SqliteFile
  private readonly connection: SqliteConnection
  private readonly waiters: Array<() => void> = []
  private isAcquired = false

  constructor(file: SqliteFile) {
    this.file = file
    this.connection = new SqliteConnection(file)
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.isAcquired) await new Promise<void>(resolve => this.waiters.push(resolve))
    this.isAcquired = true
    return this.connection
  }

  releaseConnection(): Promise<void> {
    const next = this.waiters.shift()
    if (next) next()
    else this.isAcquired = false
    return Promise.resolve()
  }

  async beginTransaction(connection: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    await connection.executeQuery(accessMode === 'read only' ? BEGIN_READ_ONLY : BEGIN)
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(COMMIT)
  }

  /** A full disk has rolled back already; a second time would only hide what went wrong. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.file.inTransaction) await connection.executeQuery(ROLLBACK)
  }

  destroy(): Promise<void> {
    this.connection.close()
    this.file.close()
    return Promise.resolve()
  }
}

/** Kysely passes on what callers gave, and tables have only texts, numbers and nulls: all can be bound. */
const toBindings = (parameters: readonly unknown[]) => parameters as SQLQueryBindings[]

/** The shape of a row is what the statement's builder says it is. */
const selectRows = <Row>(statement: Statement, parameters: SQLQueryBindings[]) =>
  statement.all(parameters) as Row[]

interface PreparedStatement {
  readonly statement: Statement
  readonly returnsRows: boolean
}

class SqliteConnection implements DatabaseConnection {
  private readonly file: SqliteFile
  private readonly statements = new Map<string, PreparedStatement>()

  constructor(file: SqliteFile) {
    this.file = file
  }

  executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const bindings = toBindings(parameters)
    try {
      return Promise.resolve(this.run<Row>(sql, bindings))
    } catch (error) {
      return this.isRetryable(error)
        ? this.retryWhileLocked(() => this.run<Row>(sql, bindings), error)
        : Promise.reject(error)
    }
  }

  /** Another program writes. SQLite's own wait would let the whole process stand still. */
  private async retryWhileLocked<Row>(
    run: () => QueryResult<Row>,
    refusal: unknown,
  ): Promise<QueryResult<Row>> {
    const untilMs = elapsedMs() + BUSY_RETRY_MS_MAX
    let last = refusal
    while (elapsedMs() < untilMs && this.isRetryable(last)) {
      await sleepMs(BUSY_RETRY_PAUSE_MS)
      try {
        return run()
      } catch (error) {
        last = error
      }
    }
    throw last
  }

  /** Inside a transaction waiting helps nothing: what it read is no longer the newest. */
  private isRetryable(error: unknown): boolean {
    return error instanceof SQLiteError && error.code === 'SQLITE_BUSY' && !this.file.inTransaction
  }

  private run<Row>(sql: string, parameters: SQLQueryBindings[]): QueryResult<Row> {
    const { statement, returnsRows } = this.prepare(sql)
    if (returnsRows) return { rows: selectRows<Row>(statement, parameters) }
    const { changes, lastInsertRowid } = statement.run(parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  private prepare(sql: string): PreparedStatement {
    const known = this.statements.get(sql)
    if (known) return known
    if (this.statements.size >= PREPARED_STATEMENTS_MAX) this.close()
    const statement = this.file.prepare(sql)
    const prepared = { statement, returnsRows: statement.columnNames.length > 0 }
    this.statements.set(sql, prepared)
    return prepared
  }

  close(): void {
    for (const { statement } of this.statements.values()) statement.finalize()
    this.statements.clear()
  }

  /** Rows one by one, for exports of any length. */
  async *streamQuery<Row>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    for (const row of this.file.prepare(sql).iterate(...toBindings(parameters))) {
      yield { rows: [row as Row] }
    }
  }
}
