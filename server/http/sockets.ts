import type { ServerWebSocket, WebSocketHandler } from 'bun'
import type { SocketListener, WebSocketFrame } from '../relay/request/client-connection.ts'

/** What is said in a second is less; a frame of sound is far below it. */
const FRAME_BYTES_MAX = 16 * 2 ** 20
const WAITING_BYTES_MAX = 64 * 2 ** 20
const IDLE_SECONDS = 120

const GOING_AWAY = 1001

const switched = new WeakSet<Response>()
const open = new Set<ServerWebSocket<SocketListener>>()

/** The part of `Bun.serve`'s server that makes a connection a websocket. */
export interface Upgrader {
  upgrade?(request: Request, options: { data: SocketListener; headers: Headers }): boolean
}

/** Undefined where the request asks for no socket, or the server can open none. */
export function switchToSocket(
  request: Request,
  server: Upgrader,
  listener: SocketListener,
): Response | undefined {
  const headers = new Headers()
  if (listener.protocol) headers.set('sec-websocket-protocol', listener.protocol)
  if (!server.upgrade?.(request, { data: listener, headers })) return undefined
  const response = new Response(null)
  switched.add(response)
  return response
}

/** Undefined where the connection is a socket by now, so that nothing is to be answered. */
export const unlessSwitched = (response: Response): Response | undefined =>
  switched.has(response) ? undefined : response

/** Ends every conversation. Resolves once all are charged. */
export async function closeSockets(): Promise<void> {
  const ending = [...open].map(socket => {
    socket.close(GOING_AWAY, 'the gateway is stopping')
    return socket.data.onClose()
  })
  await Promise.all(ending)
}

/** What the server tells of its sockets, passed on to whoever listens to each. */
export const socketEvents: WebSocketHandler<SocketListener> = {
  maxPayloadLength: FRAME_BYTES_MAX,
  backpressureLimit: WAITING_BYTES_MAX,
  closeOnBackpressureLimit: true,
  idleTimeout: IDLE_SECONDS,
  sendPings: true,
  open(socket) {
    open.add(socket)
    socket.data.onOpen({
      send: frame => void socket.send(frame),
      close: (code, reason) => socket.close(code, reason),
    })
  },
  message: (socket, frame) => socket.data.onMessage(toFrame(frame)),
  close(socket) {
    open.delete(socket)
    void socket.data.onClose()
  },
}

const toFrame = (frame: string | Buffer): WebSocketFrame =>
  typeof frame === 'string' ? frame : new Uint8Array(frame)
