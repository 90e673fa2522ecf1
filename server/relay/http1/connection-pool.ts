import { type Deadline, setDeadline } from '../../core/deadlines.ts'
import { Connection, type Keeper } from './connection.ts'
import { WireError } from './http-error.ts'
import type { Destination } from './target.ts'

export const CONNECT_MS = 10_000
/** Most servers keep a connection that rests for longer. */
const REST_MS = 60_000
/** Between two looks of the system whether the other machine is still there. */
const ALIVE_MS = 30_000

/** A machine swallowed what was sent to it. */
export class NoConnection extends Error {}

interface Resting {
  readonly connection: Connection
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
export function takeConnection(origin: string): Connection | undefined {
  const taken = resting.get(origin)?.pop()
  taken?.deadline.drop()
  return taken?.connection
}

/**
 * Makes a connection; with TLS, the certificate is checked against the name. Rejects with the system's error, and with
 * NoConnection when the other side says nothing for so long.
 */
export function openConnection(
  { origin, hostname, port, isSecure }: Destination,
  connectMs = CONNECT_MS,
): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>()
  let connection: Connection | undefined
  let begun: Bun.Socket | undefined
  let isOver = false
  const fail = (error: unknown): void => {
    isOver = true
    deadline.drop()
    reject(error)
    begun?.terminate()
  }
  const deadline = setDeadline(connectMs, () => fail(new NoConnection()))
  const begin = (socket: Bun.Socket): void => {
    if (isOver) {
      socket.terminate()
      return
    }
    deadline.drop()
    connection = new Connection(origin, socket, keeper)
    resolve(connection)
  }
  const end = (error?: unknown): void => {
    if (connection) connection.lose(error)
    else fail(error ?? new WireError('ECONNRESET', 'the connection was closed'))
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
