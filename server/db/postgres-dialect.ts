import type { ReservedSQL, SQL } from 'bun'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'

const COMMIT = CompiledQuery.raw('commit')
const ROLLBACK = CompiledQuery.raw('rollback')

/** Kysely on the runtime's own client, whose whole numbers must be told from texts: give it `bigint: true`. */
export function postgresDialect(client: SQL): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(client),
    createIntrospector: db => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

class PostgresDriver implements Driver {
  private readonly client: SQL
  private readonly reserved = new WeakMap<DatabaseConnection, ReservedSQL>()

  constructor(client: SQL) {
    this.client = client
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const reserved = await this.client.reserve()
    const connection = new PostgresConnection(reserved)
    this.reserved.set(connection, reserved)
    return connection
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.reserved.get(connection)?.release()
  }

  async beginTransaction(
    connection: DatabaseConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    const level = isolationLevel ? ` isolation level ${isolationLevel}` : ''
    await connection.executeQuery(CompiledQuery.raw(`begin${level} ${accessMode ?? ''}`))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(COMMIT)
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(ROLLBACK)
  }

  destroy(): Promise<void> {
    return this.client.close()
  }
}

type Cells = Record<string, unknown>

class PostgresConnection implements DatabaseConnection {
  private readonly reserved: ReservedSQL

  constructor(reserved: ReservedSQL) {
    this.reserved = reserved
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const rows = await this.reserved.unsafe(sql, [...parameters])
      return { rows: withNumbers<Row>([...rows]), numAffectedRows: BigInt(rows.count ?? 0) }
    } catch (error) {
      throw withState(error)
    }
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
const withState = (error: unknown): unknown =>
  error instanceof Bun.SQL.PostgresError && error.errno
    ? Object.assign(new Error(error.message, { cause: error }), { code: error.errno })
    : error
