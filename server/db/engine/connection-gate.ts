import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type { Engine } from '../migrations/migration.ts'
import { beginWithIdleTimeout } from './postgres-dialect.ts'
import type { Tables } from './tables.ts'

interface RedirectTarget {
  readonly db: Kysely<Tables>
  readonly engine: Engine
  readonly gate: ConnectionGate
}

const BEGIN = {
  sqlite: CompiledQuery.raw('begin immediate'),
  postgres: beginWithIdleTimeout('begin'),
} as const satisfies Readonly<Record<Engine, CompiledQuery>>
const ROW_LOCKS = /\s+for (no key )?update(\s+skip locked)?\s*$/i

/**
 * Stands before the connections of a database. While it is paused, statements wait; after `redirect` they go to another
 * database, for work that began before a move. Statements and transactions that have a connection are not held up.
 */
export class ConnectionGate {
  private target: RedirectTarget | undefined
  private pause: { readonly over: Promise<void>; end(): void } | undefined
  /** Connections of the database itself that are in use. */
  private used = 0
  private whenUnused: () => void = () => undefined

  close(): void {
    if (this.pause) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.pause = { over: promise, end: resolve }
  }

  open(): void {
    this.pause?.end()
    this.pause = undefined
  }

  /** Every later statement goes to the other database. Also opens the gate. */
  redirect(target: RedirectTarget): void {
    this.target = target
    this.open()
  }

  /** The engine to which statements go now. */
  engineOr(engine: Engine): Engine {
    return this.target ? this.target.gate.engineOr(this.target.engine) : engine
  }

  /** Resolves when no connection of the database itself is in use: transactions that have begun are over. */
  untilUnused(): Promise<void> {
    if (this.used === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.whenUnused = resolve
    })
  }

  /** A connection of the database itself, or of the one to which the gate leads. */
  acquire(own: () => Promise<DatabaseConnection>): Promise<DatabaseConnection> {
    if (this.pause) return this.pause.over.then(() => this.acquire(own))
    if (this.target) return acquireRedirected(this.target)
    this.used += 1
    return own().catch(error => {
      this.released()
      throw error
    })
  }

  /** To be called when a connection of the database itself is given back. */
  released(): void {
    this.used -= 1
    if (this.used === 0) this.whenUnused()
  }
}

/** The dialect with the gate before its connections. */
export function gatedDialect(dialect: Dialect, gate: ConnectionGate): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => new GatedDriver(dialect.createDriver(), gate),
    createIntrospector: db => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

class GatedDriver implements Driver {
  private readonly driver: Driver
  private readonly gate: ConnectionGate

  constructor(driver: Driver, gate: ConnectionGate) {
    this.driver = driver
    this.gate = gate
  }

  init(): Promise<void> {
    return this.driver.init()
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return this.gate.acquire(() => this.driver.acquireConnection())
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof RedirectedConnection) return connection.release()
    this.gate.released()
    await this.driver.releaseConnection(connection)
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    if (connection instanceof RedirectedConnection) await connection.begin(settings)
    else await this.driver.beginTransaction(connection, settings)
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof RedirectedConnection) await connection.executeQuery(CompiledQuery.raw('commit'))
    else await this.driver.commitTransaction(connection)
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof RedirectedConnection)
      await connection.executeQuery(CompiledQuery.raw('rollback'))
    else await this.driver.rollbackTransaction(connection)
  }

  destroy(): Promise<void> {
    return this.driver.destroy()
  }
}

/** Takes a connection of the other database until the returned one is released. */
function acquireRedirected(target: RedirectTarget): Promise<DatabaseConnection> {
  return new Promise((resolve, reject) => {
    const work = (connection: DatabaseConnection) =>
      new Promise<void>(release => resolve(new RedirectedConnection(target, connection, release)))
    target.db.getExecutor().provideConnection(work).catch(reject)
  })
}

/** Compiles statements anew: they were compiled for the engine before the move. */
class RedirectedConnection implements DatabaseConnection {
  private readonly target: RedirectTarget
  private readonly connection: DatabaseConnection
  readonly release: () => void

  constructor(target: RedirectTarget, connection: DatabaseConnection, release: () => void) {
    this.target = target
    this.connection = connection
    this.release = release
  }

  begin({ isolationLevel, accessMode }: TransactionSettings): Promise<unknown> {
    if (this.target.engine === 'sqlite')
      return this.connection.executeQuery(
        accessMode === 'read only' ? CompiledQuery.raw('begin') : BEGIN.sqlite,
      )
    const level = isolationLevel ? ` isolation level ${isolationLevel}` : ''
    return this.connection.executeQuery(beginWithIdleTimeout(`begin${level} ${accessMode ?? ''}`))
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.connection.executeQuery<Row>(this.translate(query))
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.connection.streamQuery<Row>(this.translate(query), chunkSize)
  }

  /** Statements that were prepared as text have their parameters beside them, and a text that both engines read. */
  private translate(query: CompiledQuery): CompiledQuery {
    const { engine, db } = this.target
    if (/^begin\b/.test(query.sql)) return BEGIN[engine]
    const compiled = db.getExecutor().compileQuery(query.query, query.queryId)
    const isPrepared = compiled.parameters.length !== query.parameters.length
    const text = isPrepared ? query.sql : compiled.sql
    return {
      ...query,
      sql: engine === 'sqlite' ? text.replace(ROW_LOCKS, '') : text,
      parameters: isPrepared ? query.parameters : compiled.parameters,
    }
  }
}
