import { type Deadline, setDeadline } from '../../core/deadlines.ts'
import { HttpError } from './http-response.ts'
import type { SerializedRequest, RequestTarget } from './write-request.ts'
import { elapsedMs } from '../../core/clock.ts'
import { type ResponseListener, ResponseParser } from './response-parser.ts'

/** Whoever asked something over a connection. */
export interface HttpExchangeListener extends ResponseListener {
  /** The connection is gone. `isStale`: it had rested, and ended about when it was asked, before anything came back. */
  onConnectionLost(error: unknown, isStale: boolean): void
}

/** Whoever keeps connections for the next request. */
interface Keeper {
  /** It can take another request. */
  free(connection: HttpConnection): void
  /** It cannot be used any more. */
  gone(connection: HttpConnection): void
}

/** So soon the end of a connection that rested is told. Later the other side had the request, and may have worked on it. */
const STALE_MS = 1000
const CLOSED = 'the connection was closed'

/** One connection to an upstream: one request at a time, and the answer to it. */
export class HttpConnection {
  readonly origin: string
  private readonly socket: Bun.Socket
  private readonly keeper: Keeper
  private asker: HttpExchangeListener | undefined
  private reader: ResponseParser | undefined
  /** What the system has not taken yet. */
  private unsent: Uint8Array | undefined
  private isOpen = true
  private isPaused = false
  private isUsed = false
  private hasSpoken = false
  private askedMs = 0

  constructor(origin: string, socket: Bun.Socket, keeper: Keeper) {
    this.origin = origin
    this.socket = socket
    this.keeper = keeper
  }

  /** Sends a request. The asker is told of the answer, or that the connection is gone. */
  ask(asker: HttpExchangeListener, { head, body, size }: SerializedRequest): void {
    this.asker = asker
    this.reader = new ResponseParser(asker)
    this.hasSpoken = false
    if (this.isUsed) this.askedMs = elapsedMs()
    if (typeof body === 'string') this.sendText(head + body, size)
    else this.send(Buffer.concat([Buffer.from(head), body], size))
  }

  /** Nothing more is read until `resume`. */
  pause(): void {
    this.isPaused = true
    this.socket.pause()
  }

  resume(): void {
    this.isPaused = false
    this.socket.resume()
  }

  /** Ends it, whatever is under way. The asker is not told. */
  destroy(): void {
    this.asker = undefined
    this.close()
  }

  /** Bytes have come in. What nobody asked for ends the connection. */
  receive(bytes: Buffer<ArrayBuffer>): void {
    const { reader } = this
    this.hasSpoken = true
    try {
      reader?.push(bytes)
    } catch (error) {
      this.lose(error)
    }
    if (!reader) this.close()
    else if (this.asker && reader.isOver()) this.rest(reader)
  }

  /** The other side has closed, by which an answer may be whole, or with an error the system has given up. */
  lose(error?: unknown): void {
    const { asker, reader } = this
    this.asker = undefined
    this.close()
    if (!asker || (error === undefined && reader?.close())) return
    asker.onConnectionLost(error ?? new HttpError('ECONNRESET', CLOSED), this.isStale())
  }

  /** The system takes more. */
  drain(): void {
    const { unsent } = this
    this.unsent = undefined
    if (unsent) this.send(unsent)
  }

  private isStale(): boolean {
    return this.isUsed && !this.hasSpoken && elapsedMs() - this.askedMs < STALE_MS
  }

  private rest(reader: ResponseParser): void {
    this.asker = undefined
    this.reader = undefined
    this.isUsed = true
    if (this.isPaused) this.resume()
    if (reader.isReusable() && !this.unsent && this.isOpen) this.keeper.free(this)
    else this.close()
  }

  /** The runtime writes texts as UTF-8. */
  private sendText(text: string, size: number): void {
    const taken = this.socket.write(text)
    if (taken < size) this.keep(Buffer.from(text), taken)
  }

  private send(bytes: Uint8Array): void {
    const taken = this.socket.write(bytes)
    if (taken < bytes.byteLength) this.keep(bytes, taken)
  }

  /** Of a socket that is closed already the system takes less than nothing: its end is told soon. */
  private keep(bytes: Uint8Array, taken: number): void {
    this.unsent = bytes.subarray(Math.max(taken, 0))
  }

  private close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.keeper.gone(this)
    this.socket.terminate()
  }
}

export const CONNECT_TIMEOUT_MS = 10_000
/** Most servers keep a connection that rests for longer. */
const REST_MS = 60_000
/** Between two looks of the system whether the other machine is still there. */
const ALIVE_MS = 30_000

/** A machine swallowed what was sent to it. */
export class ConnectTimeoutError extends Error {}

interface Resting {
  readonly connection: HttpConnection
  readonly deadline: Deadline
}

/** Connections that rest, by origin: the last to come is the first to go, so that the others may end. */
const resting = new Map<string, Resting[]>()

const keeper: Keeper = {
  free(connection) {
    const deadline = setDeadline(REST_MS, () => connection.destroy())
    const ofOrigin = resting.get(connection.origin)
    if (ofOrigin) ofOrigin.push({ connection, deadline })
    else resting.set(connection.origin, [{ connection, deadline }])
  },
  gone(connection) {
    const left = (resting.get(connection.origin) ?? []).filter(each => each.connection !== connection)
    if (left.length === 0) resting.delete(connection.origin)
    else resting.set(connection.origin, left)
  },
}

/** A connection that rests; undefined when there is none. */
export function takeIdleConnection(origin: string): HttpConnection | undefined {
  const taken = resting.get(origin)?.pop()
  taken?.deadline.drop()
  return taken?.connection
}

/**
 * Makes a connection; with TLS, the certificate is checked against the name. Rejects with the system's error, and with
 * NoConnection when the other side says nothing for so long.
 */
export function openConnection(
  { origin, hostname, port, isSecure }: RequestTarget,
  connectMs = CONNECT_TIMEOUT_MS,
): Promise<HttpConnection> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpConnection>()
  let connection: HttpConnection | undefined
  let begun: Bun.Socket | undefined
  let isOver = false
  const fail = (error: unknown): void => {
    isOver = true
    deadline.drop()
    reject(error)
    begun?.terminate()
  }
  const deadline = setDeadline(connectMs, () => fail(new ConnectTimeoutError()))
  const begin = (socket: Bun.Socket): void => {
    if (isOver) {
      socket.terminate()
      return
    }
    deadline.drop()
    connection = new HttpConnection(origin, socket, keeper)
    resolve(connection)
  }
  const end = (error?: unknown): void => {
    if (connection) connection.lose(error)
    else fail(error ?? new HttpError('ECONNRESET', 'the connection was closed'))
  }
  const socket: Bun.SocketHandler<undefined> = {
    open(opened) {
      begun = opened
      opened.setNoDelay(true)
      opened.setKeepAlive(true, ALIVE_MS)
      if (!isSecure) begin(opened)
    },
    handshake(opened, isTrusted, error) {
      if (isTrusted) begin(opened)
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
