import type { WebSocket } from 'bun'
import { MIB } from '../../core/limits.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import { readFailure } from '../../provider-kit/read-failure.ts'
import type { WebSocketFrame } from '../request/client-connection.ts'

/** What may wait on its way to an upstream that reads slower than its client speaks. */
const WAITING_BYTES_MAX = 64 * MIB
const REFUSED = /status code: (\d{3})/
const LEAST_REFUSAL = 300
const CLOSED_WELL = 1000

/** The upstream's end of a websocket. What it says before anybody listens is kept. */
export interface UpstreamSocket {
  send(frame: WebSocketFrame): void
  close(): void
  listen(listener: UpstreamListener): void
}

interface UpstreamListener {
  heard(frame: WebSocketFrame): void
  /** The last that is told. */
  closed(isGood: boolean): void
}

export interface ConnectedSocket {
  readonly kind: 'socket'
  readonly socket: UpstreamSocket
}

export type Connected = ConnectedSocket | { readonly kind: 'failure'; readonly failure: Failure }

/** Waits until the socket is open. A handshake that was refused is a failure of its status. Rejects as `fetch` does. */
export function openedSocket(socket: WebSocket, signal: AbortSignal): Promise<Connected> {
  const opened = Promise.withResolvers<Connected>()
  const early: ((listener: UpstreamListener) => void)[] = []
  let listener: UpstreamListener | undefined
  const tell = (event: (listener: UpstreamListener) => void): void => {
    if (listener) event(listener)
    else early.push(event)
  }
  socket.binaryType = 'arraybuffer'
  socket.onmessage = ({ data }) => tell(({ heard }) => heard(toFrame(data)))
  socket.onclose = ({ code }) => tell(({ closed }) => closed(code === CLOSED_WELL))
  socket.onopen = () =>
    opened.resolve({
      kind: 'socket',
      socket: {
        send(frame) {
          if (socket.bufferedAmount > WAITING_BYTES_MAX) socket.close()
          else socket.send(frame)
        },
        close: () => socket.close(),
        listen(heard) {
          listener = heard
          for (const event of early.splice(0)) event(heard)
        },
      },
    })
  socket.onerror = event => {
    const message = 'message' in event ? String(event.message) : ''
    const status = Number(REFUSED.exec(message)?.[1])
    if (status >= LEAST_REFUSAL)
      opened.resolve({ kind: 'failure', failure: readFailure(status, '', new Headers()) })
    else opened.reject(new Error(message))
  }
  const leave = () => {
    socket.close()
    opened.reject(new Error('the call was ended'))
  }
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  return opened.promise
}

const toFrame = (data: unknown): WebSocketFrame => {
  if (typeof data === 'string') return data
  return data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array()
}
