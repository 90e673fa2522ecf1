import type { WebSocket } from 'bun'
import { MIB } from '../core/limits.ts'

/** What the other side may have said before anybody wants to read it: a socket cannot be told to wait. */
const WAITING_BYTES_MAX = 8 * MIB
const REFUSED = /status code: (\d{3})/
const SYSTEM_WORD = /\bE[A-Z]{3,}\b/

/** The connection could not be made, or is of no use. `code`: the system's own word where it has one. */
class SocketFailed extends Error {
  readonly code: string

  constructor(message: string) {
    super(message)
    this.code = SYSTEM_WORD.exec(message)?.[0] ?? 'EWEBSOCKET'
  }
}

/**
 * Asks one question over a socket that has just been made. What comes back reads as a streamed answer: each text frame
 * is an event of server-sent events, and the end of the connection ends it. A handshake that was refused gives its status.
 * Rejects as `fetch` does; `signal` ends the connection whenever it is aborted.
 */
export function askSocket(socket: WebSocket, question: string, signal: AbortSignal): Promise<Response> {
  const answer = Promise.withResolvers<Response>()
  const events = eventsOf(socket)
  socket.onopen = () => {
    socket.send(question)
    answer.resolve(new Response(events, { headers: { 'content-type': 'text/event-stream' } }))
  }
  socket.onerror = event => {
    const message = 'message' in event ? String(event.message) : ''
    const status = Number(REFUSED.exec(message)?.[1])
    if (status >= 300) answer.resolve(new Response(null, { status }))
    else answer.reject(new SocketFailed(message))
  }
  const leave = () => {
    socket.close()
    answer.reject(new SocketFailed('the call was ended'))
  }
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  return answer.promise
}

function eventsOf(socket: WebSocket): ReadableStream<Uint8Array> {
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
          const bytes = encoder.encode(`data: ${onOneLine(String(data))}\n\n`)
          if (bytes.byteLength > (controller.desiredSize ?? 0))
            end(() => controller.error(new SocketFailed('ENOBUFS')))
          else controller.enqueue(bytes)
        }
        socket.onclose = () => end(() => controller.close())
      },
      cancel() {
        isOver = true
        socket.close()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES_MAX }),
  )
}

/** Between the values of a JSON document a line break means nothing, and within them there is none. */
const onOneLine = (json: string): string => json.replaceAll(/[\r\n]+/g, ' ')
