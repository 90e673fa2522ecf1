import { elapsedMs } from '../../core/clock.ts'

/** Shorter than the keep-alive timeout of most servers. */
const IDLE_MS_MAX = 60_000
/** Silence after a response before its connection takes another request: bytes that arrive meanwhile belong to no request. */
const QUIET_MS = 50
/** The same until one connection of the origin stayed silent for this long. */
const PROBATION_MS = 1_000
const CHECKS_PER_QUIET = 5
const EXPIRY_CHECK_MS = 5_000
/** The time without reuse of connections after an origin sent unrequested bytes. */
const DISTRUST_MS = 3_600_000
/** For one owner. */
const IDLE_MAX = 5_000
/** Some servers keep a thread busy for every idle connection. */
const IDLE_ON_PROBATION_MAX = 8
/** Above it the oldest origin is forgotten. */
const ORIGINS_MAX = 10_000

export interface PoolableConnection {
  readonly origin: string
  readonly owner: string
  /** When its last response was complete. The pool's; undefined unless it is in the pool. */
  idleSinceMs: number | undefined
  /** Calls the pool's `remove`. */
  destroy(): void
}

interface PoolTiming {
  readonly quietMs: number
  readonly probationMs: number
}

/** The idle connections of one owner, each list in the order in which they became idle. */
interface IdleConnections<Connection> {
  /** Not silent for long enough yet. */
  quieting: Connection[]
  /** The last is taken first, so that surplus ones expire. */
  ready: Connection[]
}

interface Origin<Connection> {
  readonly idleByOwner: Map<string, IdleConnections<Connection>>
  isProven: boolean
  distrustedUntilMs: number
}

/**
 * Connections that may take another request. A response cannot be told from stray bytes that arrive while it is awaited,
 * so a connection is reused only after a silence, and never again for an origin that broke one. Owners share none.
 */
export class ConnectionPool<Connection extends PoolableConnection> {
  private readonly origins = new Map<string, Origin<Connection>>()
  private readonly timing: PoolTiming
  private isCheckScheduled = false
  private isExpiryScheduled = false
  private lastCheckMs = 0

  constructor(timing: PoolTiming = { quietMs: QUIET_MS, probationMs: PROBATION_MS }) {
    this.timing = timing
  }

  /** Undefined when no connection can be reused. */
  take(origin: string, owner: string): Connection | undefined {
    const connection = this.origins.get(origin)?.idleByOwner.get(owner)?.ready.pop()
    if (connection) connection.idleSinceMs = undefined
    return connection
  }

  /** Keeps a connection whose response is complete, or closes it. */
  add(connection: Connection): void {
    const origin = this.getOrigin(connection.origin)
    const { quieting, ready } = getOrCreateIdle(origin, connection.owner)
    const idleMax = origin.isProven ? IDLE_MAX : IDLE_ON_PROBATION_MAX
    const now = elapsedMs()
    if (quieting.length + ready.length >= idleMax || now < origin.distrustedUntilMs) {
      connection.destroy()
      return
    }
    connection.idleSinceMs = now
    quieting.push(connection)
    this.scheduleCheck()
  }

  /** The connection is closed. */
  remove(connection: Connection): void {
    if (connection.idleSinceMs === undefined) return
    const idleByOwner = this.origins.get(connection.origin)?.idleByOwner
    const idle = idleByOwner?.get(connection.owner)
    if (!idle) return
    idle.quieting = idle.quieting.filter(other => other !== connection)
    idle.ready = idle.ready.filter(other => other !== connection)
    if (idle.quieting.length + idle.ready.length === 0) idleByOwner?.delete(connection.owner)
  }

  /** The origin sent unrequested bytes. Its next ones could be taken for a response. */
  distrust(name: string): void {
    const origin = this.getOrigin(name)
    origin.isProven = false
    origin.distrustedUntilMs = elapsedMs() + DISTRUST_MS
    closeAll(origin)
  }

  private scheduleCheck(): void {
    if (this.isCheckScheduled) return
    this.isCheckScheduled = true
    setTimeout(() => this.promoteQuiet(), this.timing.quietMs / CHECKS_PER_QUIET).unref()
  }

  /**
   * After a long pause of the event loop its timers may expire before it reads what arrived, so that silence counts only up
   * to the check before.
   */
  private promoteQuiet(): void {
    const heardUntilMs = this.lastCheckMs
    this.lastCheckMs = elapsedMs()
    this.isCheckScheduled = false
    for (const origin of this.origins.values())
      for (const idle of origin.idleByOwner.values()) {
        this.promote(origin, idle, heardUntilMs)
        if (idle.quieting.length > 0) this.scheduleCheck()
        if (idle.ready.length > 0) this.scheduleExpiry()
      }
  }

  private scheduleExpiry(): void {
    if (this.isExpiryScheduled) return
    this.isExpiryScheduled = true
    setTimeout(() => this.closeExpired(), EXPIRY_CHECK_MS).unref()
  }

  private closeExpired(): void {
    this.isExpiryScheduled = false
    const expiredSinceMs = elapsedMs() - IDLE_MS_MAX
    for (const { idleByOwner } of this.origins.values())
      for (const { ready } of idleByOwner.values()) {
        for (const connection of ready.filter(({ idleSinceMs = 0 }) => idleSinceMs <= expiredSinceMs))
          connection.destroy()
        if (ready.length > 0) this.scheduleExpiry()
      }
  }

  private promote(
    origin: Origin<Connection>,
    { quieting, ready }: IdleConnections<Connection>,
    heardUntilMs: number,
  ): void {
    const quietMs = origin.isProven ? this.timing.quietMs : this.timing.probationMs
    let count = 0
    for (const { idleSinceMs = 0 } of quieting) {
      if (idleSinceMs + quietMs > heardUntilMs) break
      count += 1
    }
    if (count === 0) return
    origin.isProven = true
    ready.push(...quieting.splice(0, count))
  }

  private getOrigin(name: string): Origin<Connection> {
    const known = this.origins.get(name)
    if (known) return known
    const [oldest] = this.origins
    if (oldest && this.origins.size >= ORIGINS_MAX) {
      closeAll(oldest[1])
      this.origins.delete(oldest[0])
    }
    const origin: Origin<Connection> = { idleByOwner: new Map(), isProven: false, distrustedUntilMs: 0 }
    this.origins.set(name, origin)
    return origin
  }
}

function getOrCreateIdle<Connection>(
  { idleByOwner }: Origin<Connection>,
  owner: string,
): IdleConnections<Connection> {
  const known = idleByOwner.get(owner)
  if (known) return known
  const idle: IdleConnections<Connection> = { quieting: [], ready: [] }
  idleByOwner.set(owner, idle)
  return idle
}

function closeAll({ idleByOwner }: Origin<PoolableConnection>): void {
  for (const { quieting, ready } of idleByOwner.values())
    for (const connection of [...quieting, ...ready]) connection.destroy()
}
