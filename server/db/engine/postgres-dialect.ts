import { type ReservedSQL, SQL } from 'bun'
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
import { withTimeout } from '../../core/async.ts'
import { elapsedMs, everyMs, sleepMs } from '../../core/clock.ts'
import { listServerAddresses } from '../../core/server-addresses.ts'
import { explained, isServerLost, withSqlState } from './query-errors.ts'
import { hasSharedSessions } from './shared-sessions.ts'
import type { Tables } from './tables.ts'

/** Shorter than the lease of holds: a recovery that releases the holds of a process must not wait for its locks. */
const IDLE_IN_TRANSACTION_MS_MAX = 15_000
export const COMMIT = CompiledQuery.raw('commit')
const ROLLBACK = CompiledQuery.raw('rollback')

/** A statement without a response after 20 consecutive checks, 20 s, counts as stalled. */
const STALL_CHECKS_MAX = 20
const CHECK_MS = 1000
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

interface PostgresServer {
  readonly url: string
  readonly isPrepared: boolean
}

/**
 * A client and its connections in use. Create the client with `bigint: true`: by default it returns 64-bit integers as
 * texts, which cannot be told from text columns.
 */
export class PostgresPool {
  private readonly createClient: (server: PostgresServer) => SQL
  private readonly url: string
  private readonly servers: PostgresServers
  /** Undefined: before the first connection, and once its server is lost. */
  private client: SQL | undefined
  private server: FoundServer | undefined
  private readonly acquired = new Map<DatabaseConnection, PostgresConnection>()
  private isClosed = false

  constructor(createClient: (server: PostgresServer) => SQL, url: string) {
    this.createClient = createClient
    this.url = url
    this.servers = new PostgresServers(url)
  }

  async acquire(): Promise<DatabaseConnection> {
    try {
      const client = await this.connect()
      const reserved = await client.reserve().catch(error => this.rethrow(client, error))
      const connection = new PostgresConnection(reserved, client, error => this.rethrow(client, error))
      this.acquired.set(connection, connection)
      return connection
    } catch (cause) {
      throw explained(cause, `PostgreSQL at ${placeOf(this.url)} (DATABASE_URL) cannot be used: `)
    }
  }

  release(connection: DatabaseConnection): void {
    const released = this.acquired.get(connection)
    released?.release()
    this.acquired.delete(connection)
    if (released && released.client !== this.client) this.closeUnlessUsed(released.client)
  }

  /** Looks every second for connections whose server does not respond or is no longer the primary. Returns the end of that. */
  watch(): () => Promise<void> {
    const stops = [
      everyMs(CHECK_MS, async () => this.closeStalledConnections()),
      everyMs(CHECK_MS, () => this.leaveFormerPrimary()),
    ]
    return async () => void (await Promise.all(stops.map(stop => stop())))
  }

  /**
   * Terminates connections whose server does not respond, and replaces the client, whose idle connections may be broken
   * too. A machine or network that is gone sends no error, and the operating system would wait for a quarter of an hour.
   */
  private closeStalledConnections(): void {
    const stalled = [...this.acquired.values()].filter(connection => connection.checkStalled())
    if (stalled.length > 0) this.leave(stalled)
  }

  /** A primary that was cut off from its standby goes on, or only says nothing: what it is told is lost. */
  private async leaveFormerPrimary(): Promise<void> {
    const { server } = this
    if (server && (await this.servers.isSucceeded(server)) && this.server === server)
      this.leave([...this.acquired.values()])
  }

  private leave(connections: readonly PostgresConnection[]): void {
    const previous = this.client
    this.client = undefined
    for (const connection of connections) connection.terminate()
    if (previous) closeClient(previous).catch(() => undefined)
  }

  async close(): Promise<void> {
    this.isClosed = true
    if (this.client) await closeClient(this.client)
  }

  private async connect(): Promise<SQL> {
    if (this.client) return this.client
    const server = await this.servers.find()
    const isPrepared = !(await hasSharedSessions(server.url))
    if (this.isClosed) throw new Error('the connections are closed')
    if (!this.client) this.server = server
    this.client ??= this.createClient({ url: server.url, isPrepared })
    return this.client
  }

  /** After the loss of a server the next connection is one to the server that then accepts writes. */
  private rethrow(client: SQL, error: unknown): never {
    if (isServerLost(error) && this.client === client) {
      this.client = undefined
      this.closeUnlessUsed(client)
    }
    throw error
  }

  private closeUnlessUsed(client: SQL): void {
    const isUsed = [...this.acquired.values()].some(connection => connection.client === client)
    if (!isUsed) closeClient(client).catch(() => undefined)
  }
}

/** Hosts and ports, without the password. */
const placeOf = (url: string): string =>
  listServerAddresses(url)
    .map(address => (URL.canParse(address) ? new URL(address).host : 'an unreadable address'))
    .join(', ')

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
  readonly client: SQL
  private readonly reserved: ReservedSQL
  private readonly rethrow: (error: unknown) => never
  private isQueryRunning = false
  private areLongStatementsAllowed = false
  private stallChecks = 0

  constructor(reserved: ReservedSQL, client: SQL, rethrow: (error: unknown) => never) {
    this.reserved = reserved
    this.client = client
    this.rethrow = rethrow
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    this.isQueryRunning = true
    this.stallChecks = 0
    try {
      const rows = await this.reserved.unsafe(sql, [...parameters])
      return { rows: withNumbers<Row>([...rows]), numAffectedRows: BigInt(rows.count ?? 0) }
    } catch (error) {
      return this.rethrow(withSqlState(error))
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

/** All servers are silent, or standbys: a connection is lost, too, and no statement is to blame. */
const NOT_FOUND = 'ERR_POSTGRES_CONNECTION_NOT_FOUND'
/** How long one search waits for a server that accepts writes, below the time after which requests are rejected. */
const SEARCH_MS_MAX = 2000
const ATTEMPT_PAUSE_MS = 100
const CONNECT_SECONDS_MAX = 2
/** How long the first server found waits for another one that was promoted later. */
const LATER_PROMOTION_MS = 150

interface FoundServer {
  readonly url: string
  /** Grows with each promotion. 0: the server does not tell. */
  readonly timeline: number
}

/**
 * Finds which of the servers of an address accepts writes: after a failover it is another one. A server that cannot be reached
 * delays nobody, since all are asked at once; of two that accept writes the one counts that was promoted last. The only
 * server of an address is not asked.
 */
export class PostgresServers {
  private readonly urls: readonly string[]
  private search: Promise<FoundServer> | undefined

  constructor(url: string) {
    this.urls = listServerAddresses(url)
  }

  /** The server that accepts writes, by its own address. Rejects when none is found within two seconds. */
  async find(): Promise<FoundServer> {
    const [only = ''] = this.urls
    if (this.urls.length <= 1) return { url: only, timeline: 0 }
    this.search ??= this.ask().finally(() => {
      this.search = undefined
    })
    return this.search
  }

  /** Whether another one was promoted after this server. */
  async isSucceeded({ url, timeline }: FoundServer): Promise<boolean> {
    const others = this.urls.filter(other => other !== url)
    const found = await Promise.all(others.map(other => askServer(other).catch(() => undefined)))
    return found.some(other => other !== undefined && other.timeline > timeline)
  }

  private async ask(): Promise<FoundServer> {
    const deadlineMs = elapsedMs() + SEARCH_MS_MAX
    const found: FoundServer[] = []
    const attempts = this.urls.map(async url => found.push(await untilWritable(url, deadlineMs)))
    await Promise.any(attempts).catch(({ errors }: AggregateError) => {
      throw errors.find(({ code }) => code !== undefined) ?? Object.assign(errors[0], { code: NOT_FOUND })
    })
    await Promise.race([Promise.allSettled(attempts), sleepMs(LATER_PROMOTION_MS)])
    return found.reduce((first, second) => (second.timeline > first.timeline ? second : first))
  }
}

/** Resolves once the server accepts writes. Rejects at the deadline with the last reason why it did not. */
async function untilWritable(url: string, deadlineMs: number): Promise<FoundServer> {
  for (;;) {
    const attempt = await askServer(url).catch((error: unknown) => ({ error }))
    if (!('error' in attempt)) return attempt
    if (elapsedMs() >= deadlineMs) throw attempt.error
    await sleepMs(ATTEMPT_PAUSE_MS)
  }
}

async function askServer(url: string): Promise<FoundServer> {
  const client = new SQL({ url, max: 1, connectionTimeout: CONNECT_SECONDS_MAX })
  const ask = async (): Promise<FoundServer> => {
    const [row] = await client.unsafe(`select current_setting('transaction_read_only') as read_only`)
    if (row.read_only !== 'off') throw new Error('no server of the address accepts writes')
    return { url, timeline: await readTimeline(client) }
  }
  try {
    return await withTimeout(SEARCH_MS_MAX, ask())
  } finally {
    client.close({ timeout: 0 }).catch(() => undefined)
  }
}

/** Services that only speak the protocol of PostgreSQL may have no write-ahead log of their own to name. */
const readTimeline = (client: SQL): Promise<number> =>
  client
    .unsafe(`select ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int as timeline`)
    .then(
      ([row]) => Number(row.timeline),
      () => 0,
    )
