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
import { noteStep } from '../../core/telemetry/stall-watch.ts'

/** More than the code has, so that frequent statements are never prepared again. */
const PREPARED_STATEMENTS_MAX = 500

/** A statement fails when another program locks the file for longer. */
const BUSY_RETRY_MS_MAX = 5000
const BUSY_RETRY_PAUSE_MS = 10

const BEGIN = CompiledQuery.raw('begin immediate')
/** Reads one snapshot until it ends, without blocking writers. */
const BEGIN_READ_ONLY = CompiledQuery.raw('begin')
const COMMIT = CompiledQuery.raw('commit')
const ROLLBACK = CompiledQuery.raw('rollback')

/** Kysely on Bun's SQLite with a single connection: while a transaction holds it, all other statements wait. */
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

  /** SQLite rolls back by itself on a full disk; a second rollback would hide the first error. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.file.inTransaction) await connection.executeQuery(ROLLBACK)
  }

  destroy(): Promise<void> {
    this.connection.close()
    this.file.close()
    return Promise.resolve()
  }
}

/** All parameters can be bound: the columns of all tables are texts, numbers and nulls. */
const toBindings = (parameters: readonly unknown[]) => parameters as SQLQueryBindings[]

/** Trusts that the rows have the shape that the query builder declares. */
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

  /** Retries while another program writes. SQLite's own busy timeout would block the whole process. */
  private async retryWhileLocked<Row>(
    run: () => QueryResult<Row>,
    firstError: unknown,
  ): Promise<QueryResult<Row>> {
    const untilMs = elapsedMs() + BUSY_RETRY_MS_MAX
    let lastError = firstError
    while (elapsedMs() < untilMs && this.isRetryable(lastError)) {
      await sleepMs(BUSY_RETRY_PAUSE_MS)
      try {
        return run()
      } catch (error) {
        lastError = error
      }
    }
    throw lastError
  }

  /** Within a transaction a retry is useless: the snapshot it has read is outdated. */
  private isRetryable(error: unknown): boolean {
    return error instanceof SQLiteError && error.code === 'SQLITE_BUSY' && !this.file.inTransaction
  }

  /** The thread waits for the statement, and for the disk with it, so a long one is named when it stalls others. */
  private run<Row>(sql: string, parameters: SQLQueryBindings[]): QueryResult<Row> {
    const startedMs = elapsedMs()
    try {
      return this.execute(sql, parameters)
    } finally {
      noteStep(sql, startedMs)
    }
  }

  private execute<Row>(sql: string, parameters: SQLQueryBindings[]): QueryResult<Row> {
    const { statement, returnsRows } = this.prepare(sql)
    if (returnsRows) return { rows: selectRows<Row>(statement, parameters) }
    const { changes, lastInsertRowid } = statement.run(parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  private prepare(sql: string): PreparedStatement {
    const existing = this.statements.get(sql)
    if (existing) return existing
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

  /** Yields rows one by one, for exports of any length. */
  async *streamQuery<Row>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    for (const row of this.file.prepare(sql).iterate(...toBindings(parameters))) {
      yield { rows: [row as Row] }
    }
  }
}
