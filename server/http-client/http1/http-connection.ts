import { elapsedMs } from '../../core/clock.ts'
import { MIB } from '../../core/limits.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { HttpError } from './http-response.ts'
import { type ResponseListener, ResponseParser } from './response-parser.ts'
import type { RequestTarget, SerializedRequest } from './write-request.ts'

export const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_PROBE_MS = 30_000
/** When a reused connection ends later than this, the server had the request and may have started on it. */
const STALE_MS = 1000
/** Other requests wait a fraction of a millisecond while these are written. */
const BYTES_PER_TURN = MIB / 4
const TIMEOUT_NOTICE = /^HTTP\/1\.[01] 408/
const TIMEOUT_NOTICE_CHARS = 12

/** The server neither accepted nor refused the connection in time. */
export class ConnectTimeoutError extends Error {}

/** Receives what happens to a request that was sent over a connection. */
export interface HttpCallListener extends ResponseListener {
  /** `isStale`: a reused connection ended right after the request was sent, before any byte of a response. */
  onConnectionLost(error: unknown, isStale: boolean): void
}

/** The owner of connections, and their pool. */
export interface ConnectionUse {
  /** Connections are reused for the same owner only. Undefined: never. */
  readonly owner: string | undefined
  readonly pool: ConnectionPool<HttpConnection>
}

/**
 * Opens a connection; with TLS the certificate is verified against the host name. Rejects with the system's error, and
 * with ConnectTimeoutError when the server does not respond within `timeoutMs`.
 */
export function openConnection(
  { origin, hostname, port, isSecure }: RequestTarget,
  use: ConnectionUse,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<HttpConnection> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpConnection>()
  let connection: HttpConnection | undefined
  let openedSocket: Bun.Socket | undefined
  let hasFailed = false
  const fail = (error: unknown): void => {
    hasFailed = true
    clearTimeout(deadline)
    reject(error)
    openedSocket?.terminate()
  }
  const deadline = setTimeout(() => fail(new ConnectTimeoutError()), timeoutMs)
  const succeed = (socket: Bun.Socket): void => {
    if (hasFailed) {
      socket.terminate()
      return
    }
    clearTimeout(deadline)
    connection = new HttpConnection(origin, socket, use)
    resolve(connection)
  }
  const end = (error?: unknown): void => {
    if (connection) connection.fail(error)
    else fail(error ?? new HttpError('ECONNRESET', 'the connection was closed'))
  }
  const socket: Bun.SocketHandler<undefined> = {
    open(opened) {
      openedSocket = opened
      opened.setNoDelay(true)
      opened.setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
      if (!isSecure) succeed(opened)
    },
    handshake(opened, isTrusted, error) {
      if (isTrusted) succeed(opened)
      else fail(error)
    },
    data: (_, bytes) => connection?.receive(bytes as Buffer<ArrayBuffer>),
    drain: () => connection?.drain(),
    end: () => end(),
    close: (_, error) => end(error),
    error: (_, error) => end(error),
    connectError: (_, error) => fail(error),
  }
  Promise.try(() => Bun.connect({ hostname, port, socket, ...(isSecure && { tls: true }) })).catch(fail)
  return promise
}

/** Some servers announce that way that they close an idle connection (RFC 9110, section 15.5.9). */
const isTimeoutNotice = (bytes: Buffer): boolean =>
  TIMEOUT_NOTICE.test(bytes.toString('latin1', 0, TIMEOUT_NOTICE_CHARS))

/** The bytes that the system has not accepted. `accepted` is negative when the socket is closed already; its close event follows. */
const rest = (bytes: Uint8Array, accepted: number): Uint8Array => bytes.subarray(Math.max(accepted, 0))

/** One connection to an upstream. It carries one request at a time and returns to the pool after its response. */
export class HttpConnection {
  readonly origin: string
  readonly owner: string
  idleSinceMs: number | undefined
  exchanges = 0
  sentAtMs = 0
  waitedMs: number | undefined
  private readonly pool: ConnectionPool<HttpConnection> | undefined
  private readonly socket: Bun.Socket
  private listener: HttpCallListener | undefined
  private parser: ResponseParser | undefined
  /** Bytes that the system has not accepted yet. */
  private unsent: readonly Uint8Array[] = []
  private isOpen = true
  /** Goes on writing in the next turn of the event loop. */
  private isYielding = false
  private isPaused = false

  constructor(origin: string, socket: Bun.Socket, { owner, pool }: ConnectionUse) {
    this.origin = origin
    this.owner = owner ?? ''
    this.pool = owner === undefined ? undefined : pool
    this.socket = socket
  }

  /** Sends a request and reports its response, or the loss of the connection, to the listener. */
  send(listener: HttpCallListener, { head, body, size }: SerializedRequest): void {
    this.listener = listener
    this.parser = new ResponseParser(listener)
    this.exchanges += 1
    this.waitedMs = undefined
    this.sentAtMs = elapsedMs()
    if (typeof body === 'string') this.writeText(head + body, size)
    else this.writeAll([Buffer.from(head), ...body])
  }

  /** Stops reading until `resume`, which makes the server wait. */
  pause(): void {
    this.isPaused = true
    this.socket.pause()
  }

  resume(): void {
    this.isPaused = false
    this.socket.resume()
  }

  /** Closes the connection without notifying the listener. */
  destroy(): void {
    this.listener = undefined
    this.close()
  }

  /** Handles received bytes. Bytes that belong to no request close the connection. */
  receive(bytes: Buffer<ArrayBuffer>): void {
    const { parser } = this
    if (!parser) {
      if (!isTimeoutNotice(bytes)) this.pool?.distrust(this.origin)
      this.close()
      return
    }
    // The server cannot have read the request yet. It has not acted on it either, so the request can be resent.
    if (this.isReused() && this.waitedMs === undefined && this.unsent.length > 0) {
      this.fail(new HttpError('EPROTO', 'the response arrived before the request'))
      return
    }
    this.waitedMs ??= elapsedMs() - this.sentAtMs
    try {
      parser.push(bytes)
    } catch (error) {
      if (this.isReused()) this.pool?.distrust(this.origin)
      this.fail(error)
    }
    if (this.listener && parser.isDone()) this.release(parser)
  }

  /** Handles the end of the connection. Without an error the server closed it, which completes some responses. */
  fail(error?: unknown): void {
    const { listener, parser } = this
    this.listener = undefined
    this.close()
    if (!listener || (error === undefined && parser?.close())) return
    const isStale = this.isReused() && this.waitedMs === undefined && elapsedMs() - this.sentAtMs < STALE_MS
    listener.onConnectionLost(error ?? new HttpError('ECONNRESET', 'the connection was closed'), isStale)
  }

  /** The system accepts more bytes. */
  drain(): void {
    if (this.isOpen && !this.isYielding) this.writeAll(this.unsent)
  }

  private isReused(): boolean {
    return this.exchanges > 1
  }

  private release(parser: ResponseParser): void {
    this.listener = undefined
    this.parser = undefined
    if (this.isPaused) this.resume()
    if (parser.hasExcessBytes()) this.pool?.distrust(this.origin)
    if (parser.isReusable() && this.unsent.length === 0 && this.isOpen && this.pool) this.pool.add(this)
    else this.close()
  }

  /** The runtime encodes text as UTF-8. `size`: its bytes. */
  private writeText(text: string, size: number): void {
    const accepted = this.socket.write(text)
    if (accepted < size) this.unsent = [rest(Buffer.from(text), accepted)]
  }

  /** Other connections take their turns after each `BYTES_PER_TURN`. What the system does not accept waits for `drain`. */
  private writeAll(pieces: readonly Uint8Array[]): void {
    let allowed = BYTES_PER_TURN
    for (const [index, piece] of pieces.entries()) {
      const part = piece.subarray(0, allowed)
      const accepted = this.socket.write(part)
      if (accepted < piece.byteLength) {
        this.unsent = [rest(piece, accepted), ...pieces.slice(index + 1)]
        if (accepted === part.byteLength) this.yieldTurn()
        return
      }
      allowed -= accepted
    }
    this.unsent = []
  }

  private yieldTurn(): void {
    this.isYielding = true
    setImmediate(() => {
      this.isYielding = false
      this.drain()
    })
  }

  private close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.pool?.remove(this)
    this.socket.terminate()
  }
}
