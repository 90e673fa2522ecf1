import { elapsedMs } from '../../core/clock.ts'

/** Shorter than the keep-alive timeout of most servers. */
const IDLE_MS_MAX = 60_000
/** Of one owner: those beyond it were for a burst, and each takes 12 KB here and a place at the server. */
const KEPT_MAX = 32
/** A surplus connection that nobody took for this long is closed. */
const SURPLUS_IDLE_MS_MAX = 1_000
/** Silence after a response before its connection takes another request: bytes that arrive meanwhile belong to no request. */
const QUIET_MS = 50
/** The same until one connection of the origin stayed silent for this long. */
const PROBATION_MS = 1_000
const CHECKS_PER_QUIET = 5
const EXPIRY_CHECK_MS = 2_000
/** The real response may take this many times as long as any other of late. */
const LATENESS = 2
const LATENESS_WINDOW_MS = 600_000
/** A connection that would have to wait longer is closed. */
const REST_MS_MAX = 20_000
/** For one owner. */
const QUIETING_MAX = 2_000
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
  /** From when its silence counts. The pool's; undefined unless it is in the pool. */
  idleSinceMs: number | undefined
  /** Requests so far. */
  readonly exchanges: number
  /** When its last request was sent. */
  readonly sentAtMs: number
  /** From there to the first byte of its response. */
  readonly waitedMs: number | undefined
  /** Calls the pool's `remove`. */
  destroy(): void
}

interface PoolTiming {
  readonly quietMs: number
  readonly probationMs: number
  readonly expiryCheckMs: number
}

const POOL_TIMING = { quietMs: QUIET_MS, probationMs: PROBATION_MS, expiryCheckMs: EXPIRY_CHECK_MS }

/** The idle connections of one owner, each list in the order in which they became idle. */
interface IdleConnections<Connection> {
  /** Not silent for long enough yet. */
  quieting: Connection[]
  /** The last is taken first, so that surplus ones expire. */
  ready: Connection[]
}

interface Origin<Connection> {
  readonly idleByOwner: Map<string, IdleConnections<Connection>>
  readonly waits: RecentMaximum
  isProven: boolean
  distrustedUntilMs: number
}

/** The largest value of the last one or two windows. */
class RecentMaximum {
  private startedMs = 0
  private previous = 0
  private current = 0

  add(value: number, nowMs: number): void {
    if (nowMs - this.startedMs > LATENESS_WINDOW_MS) {
      this.startedMs = nowMs
      this.previous = this.current
      this.current = 0
    }
    this.current = Math.max(this.current, value)
  }

  get(): number {
    return Math.max(this.previous, this.current)
  }
}

/**
 * Connections that may take another request. A response cannot be told from stray bytes that arrive while it is awaited,
 * so a connection is reused only after a silence, and never again for an origin that broke one. Owners share none.
 *
 * What a reused connection delivered may have been such bytes. It rests until its real response would have arrived, which
 * then breaks the silence instead of reaching the next caller: one stray cannot make callers receive each other's responses.
 */
export class ConnectionPool<Connection extends PoolableConnection> {
  private readonly origins = new Map<string, Origin<Connection>>()
  private readonly timing: PoolTiming
  private isCheckScheduled = false
  private isExpiryScheduled = false
  private lastCheckMs = 0

  constructor(timing: Partial<PoolTiming> = {}) {
    this.timing = { ...POOL_TIMING, ...timing }
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
    origin.waits.add(connection.waitedMs ?? 0, now)
    const responseDueMs = connection.exchanges > 1 ? connection.sentAtMs + LATENESS * origin.waits.get() : now
    const restMs = responseDueMs - now
    const isRestTooLong =
      restMs > REST_MS_MAX || (restMs > this.timing.quietMs && quieting.length >= QUIETING_MAX)
    if (isRestTooLong || quieting.length + ready.length >= idleMax || now < origin.distrustedUntilMs) {
      connection.destroy()
      return
    }
    connection.idleSinceMs = Math.max(now, responseDueMs)
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
    setTimeout(() => this.closeExpired(), this.timing.expiryCheckMs).unref()
  }

  private closeExpired(): void {
    this.isExpiryScheduled = false
    const now = elapsedMs()
    for (const { idleByOwner } of this.origins.values())
      for (const { ready } of idleByOwner.values()) {
        const surplus = ready.length - KEPT_MAX
        const isExpired = ({ idleSinceMs = 0 }: Connection, at: number) =>
          idleSinceMs + (at < surplus ? SURPLUS_IDLE_MS_MAX : IDLE_MS_MAX) <= now
        for (const connection of ready.filter(isExpired)) connection.destroy()
        if (ready.length > 0) this.scheduleExpiry()
      }
  }

  private promote(origin: Origin<Connection>, idle: IdleConnections<Connection>, heardUntilMs: number): void {
    const quietMs = origin.isProven ? this.timing.quietMs : this.timing.probationMs
    const isQuiet = ({ idleSinceMs = 0 }: Connection) => idleSinceMs + quietMs <= heardUntilMs
    const promoted = idle.quieting.filter(isQuiet)
    if (promoted.length === 0) return
    origin.isProven = true
    idle.quieting = idle.quieting.filter(connection => !isQuiet(connection))
    idle.ready.push(...promoted)
  }

  private getOrigin(name: string): Origin<Connection> {
    const known = this.origins.get(name)
    if (known) return known
    const [oldest] = this.origins
    if (oldest && this.origins.size >= ORIGINS_MAX) {
      closeAll(oldest[1])
      this.origins.delete(oldest[0])
    }
    const idleByOwner = new Map<string, IdleConnections<Connection>>()
    const origin = { idleByOwner, waits: new RecentMaximum(), isProven: false, distrustedUntilMs: 0 }
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
