import type { WebSocket } from 'bun'
import { MIB } from '../core/limits.ts'
import { type Failure, readFailure } from '../provider-kit/failures.ts'
import { exceedsJsonLimits } from '../provider-kit/json.ts'

const HANDSHAKE_STATUS = /status code: (\d{3})/
const HANDSHAKE_ERROR_STATUS_MIN = 300

/** The HTTP status of a rejected handshake; undefined when the connection itself failed. */
function handshakeErrorStatus(message: string): number | undefined {
  const status = Number(HANDSHAKE_STATUS.exec(message)?.[1])
  return status >= HANDSHAKE_ERROR_STATUS_MIN ? status : undefined
}

const errorText = (event: Event): string => ('message' in event ? String(event.message) : '')

/** Frames that may wait for an upstream that reads slower than its client sends. */
const UNSENT_BYTES_MAX = 64 * MIB
const NORMAL_CLOSURE = 1000
const CLOSE_TOO_BIG = 4009

/** A text frame as a string, a binary frame as bytes. */
export type WebSocketFrame = string | Uint8Array<ArrayBuffer>

/** The upstream side of a realtime conversation. Frames that arrive before `listen` are kept. */
export interface UpstreamSocket {
  send(frame: WebSocketFrame): void
  /** Of the frames that were sent. */
  unsentBytes(): number
  close(): void
  listen(listener: UpstreamSocketListener): void
}

interface UpstreamSocketListener {
  onFrame(frame: WebSocketFrame): void
  /** The last event. */
  onClose(isNormal: boolean): void
}

export interface SocketUpstreamResponse {
  readonly kind: 'socket'
  readonly socket: UpstreamSocket
}

export type ConnectResult = SocketUpstreamResponse | { readonly kind: 'failure'; readonly failure: Failure }

/** Waits for the handshake. A rejected handshake is a failure with its status. Rejects as `fetch` does. */
export function waitUntilOpen(socket: WebSocket, signal: AbortSignal): Promise<ConnectResult> {
  const opened = Promise.withResolvers<ConnectResult>()
  const early: ((listener: UpstreamSocketListener) => void)[] = []
  let listener: UpstreamSocketListener | undefined
  let earlyBytes = 0
  const dispatch = (event: (listener: UpstreamSocketListener) => void): void => {
    if (listener) event(listener)
    else early.push(event)
  }
  socket.binaryType = 'arraybuffer'
  socket.onmessage = ({ data }) => {
    const frame = toFrame(data)
    earlyBytes += listener ? 0 : frame.length
    const isComplex = typeof frame === 'string' && exceedsJsonLimits(frame)
    if (isComplex || earlyBytes > UNREAD_BYTES_MAX) socket.close(CLOSE_TOO_BIG)
    else dispatch(({ onFrame }) => onFrame(frame))
  }
  socket.onclose = ({ code }) => dispatch(({ onClose }) => onClose(code === NORMAL_CLOSURE))
  socket.onopen = () =>
    opened.resolve({
      kind: 'socket',
      socket: {
        send(frame) {
          if (socket.bufferedAmount > UNSENT_BYTES_MAX) socket.close()
          else socket.send(frame)
        },
        unsentBytes: () => socket.bufferedAmount,
        close: () => socket.close(),
        listen(newListener) {
          listener = newListener
          for (const event of early.splice(0)) event(newListener)
        },
      },
    })
  socket.onerror = event => {
    const status = handshakeErrorStatus(errorText(event))
    if (status === undefined) opened.reject(new Error(errorText(event)))
    else opened.resolve({ kind: 'failure', failure: readFailure(status, '', new Headers()) })
  }
  closeOnAbort(socket, signal, () => opened.reject(new Error('the call was cancelled')))
  return opened.promise
}

function closeOnAbort(socket: WebSocket, signal: AbortSignal, reject: () => void): void {
  const close = () => {
    socket.close()
    reject()
  }
  if (signal.aborted) close()
  signal.addEventListener('abort', close, { once: true })
}

const toFrame = (data: unknown): WebSocketFrame => {
  if (typeof data === 'string') return data
  return data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array()
}

/** Frames that may wait for the reader, since a websocket has no backpressure. */
const UNREAD_BYTES_MAX = 8 * MIB
const SYSTEM_ERROR_CODE = /\bE[A-Z]{3,}\b/

/** `code`: the system error code in the message if there is one. */
class SocketError extends Error {
  readonly code: string

  constructor(message: string) {
    super(message)
    this.code = SYSTEM_ERROR_CODE.exec(message)?.[0] ?? 'EWEBSOCKET'
  }
}

/**
 * Sends one request over a new websocket. The response reads as a stream of server-sent events, one for each text
 * frame, until the connection closes. A rejected handshake becomes a response with its status. Rejects as `fetch` does;
 * `signal` closes the connection at any time.
 */
export function requestOverSocket(
  socket: WebSocket,
  request: string,
  signal: AbortSignal,
): Promise<Response> {
  const responded = Promise.withResolvers<Response>()
  const events = toServerSentEvents(socket)
  socket.onopen = () => {
    socket.send(request)
    responded.resolve(new Response(events, { headers: { 'content-type': 'text/event-stream' } }))
  }
  socket.onerror = event => {
    const status = handshakeErrorStatus(errorText(event))
    if (status === undefined) responded.reject(new SocketError(errorText(event)))
    else responded.resolve(new Response(null, { status }))
  }
  closeOnAbort(socket, signal, () => responded.reject(new SocketError('the call was cancelled')))
  return responded.promise
}

function toServerSentEvents(socket: WebSocket): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let isOver = false
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (finish: () => void): void => {
          if (isOver) return
          isOver = true
          socket.close()
          finish()
        }
        socket.onmessage = ({ data }) => {
          if (isOver) return
          const bytes = encoder.encode(`data: ${toSingleLine(String(data))}\n\n`)
          if (bytes.byteLength > (controller.desiredSize ?? 0))
            end(() => controller.error(new SocketError('ENOBUFS')))
          else controller.enqueue(bytes)
        }
        socket.onclose = () => end(() => controller.close())
      },
      cancel() {
        isOver = true
        socket.close()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: UNREAD_BYTES_MAX }),
  )
}

/** Line breaks in JSON are insignificant whitespace: strings cannot contain them. */
const toSingleLine = (json: string): string => json.replaceAll(/[\r\n]+/g, ' ')
