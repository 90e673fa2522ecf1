import type { ServerWebSocket, WebSocketHandler } from 'bun'
import type { WebSocketFrame } from '../http-client/websocket.ts'
import type { SocketListener } from '../relay/request/client-connection.ts'

/** Far above a frame of audio. */
const FRAME_BYTES_MAX = 16 * 2 ** 20
const BUFFERED_BYTES_MAX = 64 * 2 ** 20
/** Senders that can wait do so beyond this size. */
const BUFFERED_BYTES_LOW = 2 ** 18
const IDLE_SECONDS = 120

const CLOSE_GOING_AWAY = 1001

const upgraded = new WeakSet<Response>()
const openSockets = new Set<ServerWebSocket<SocketListener>>()
/** Called when a socket can take more, or is closed. */
const waiting = new WeakMap<ServerWebSocket<SocketListener>, () => void>()

/** The part of `Bun.serve`'s server that upgrades connections. */
export interface WebSocketUpgrader {
  upgrade?(request: Request, options: { data: SocketListener; headers: Headers }): boolean
}

/** Undefined when the request is not an upgrade, or the server cannot upgrade it. */
export function upgradeToWebSocket(
  request: Request,
  server: WebSocketUpgrader,
  listener: SocketListener,
): Response | undefined {
  const headers = new Headers()
  if (listener.protocol) headers.set('sec-websocket-protocol', listener.protocol)
  if (!server.upgrade?.(request, { data: listener, headers })) return undefined
  const response = new Response(null)
  upgraded.add(response)
  return response
}

/** Undefined for a connection that has been upgraded: the server must not send a response then. */
export const unlessUpgraded = (response: Response): Response | undefined =>
  upgraded.has(response) ? undefined : response

/** Closes every websocket. Resolves when the usage of all of them is charged. */
export async function closeWebSockets(): Promise<void> {
  const closing = [...openSockets].map(socket => {
    socket.close(CLOSE_GOING_AWAY, 'the gateway is stopping')
    return socket.data.onClose()
  })
  await Promise.all(closing)
}

/** Dispatches the server's websocket events to the listener of each socket. */
export const webSocketHandler: WebSocketHandler<SocketListener> = {
  maxPayloadLength: FRAME_BYTES_MAX,
  backpressureLimit: BUFFERED_BYTES_MAX,
  closeOnBackpressureLimit: true,
  idleTimeout: IDLE_SECONDS,
  sendPings: true,
  open(socket) {
    openSockets.add(socket)
    socket.data.onOpen({
      send: frame => void socket.send(frame),
      drained: () => waitUntilDrained(socket),
      close: (code, reason) => socket.close(code, reason),
    })
  },
  message: (socket, frame) => socket.data.onMessage(toFrame(frame)),
  drain: socket => waiting.get(socket)?.(),
  close(socket) {
    openSockets.delete(socket)
    waiting.get(socket)?.()
    void socket.data.onClose()
  },
}

async function waitUntilDrained(socket: ServerWebSocket<SocketListener>): Promise<void> {
  if (socket.getBufferedAmount() <= BUFFERED_BYTES_LOW) return
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.set(socket, resolve)
  await promise
  waiting.delete(socket)
}

const toFrame = (frame: string | Buffer): WebSocketFrame =>
  typeof frame === 'string' ? frame : new Uint8Array(frame)
