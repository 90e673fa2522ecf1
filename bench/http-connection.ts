import { elapsedMs } from '#server/core/clock.ts'

/** The response to one request. */
export interface TimedResponse {
  readonly status: number
  /** From sending to the last byte. */
  readonly ms: number
  readonly body: string
}

/** One kept-alive connection; one request at a time. */
export interface Connection {
  send(request: Uint8Array, onBytes?: (text: string) => void): Promise<TimedResponse>
  close(): void
}

interface PendingRequest {
  readonly sentMs: number
  readonly onBytes: ((text: string) => void) | undefined
  resolve(response: TimedResponse): void
  reject(error: Error): void
}

/** Position of the status in `HTTP/1.1 200 OK`. */
const STATUS_START = 9
const STATUS_CHARS = 3
const HEAD_END = '\r\n\r\n'
/** Ends a chunked body. */
const LAST_CHUNK = '\r\n0\r\n\r\n'

/**
 * A minimal client that leaves the CPU to the measured program. Of HTTP/1.1 it supports only responses with a length
 * and chunked ones.
 */
export async function openConnection(url: URL): Promise<Connection> {
  let received = ''
  let head: ResponseHead | undefined
  /** The last bytes of the response. */
  let ending = ''
  let pending: PendingRequest | undefined

  const finish = (status: number, body: string) => {
    const finished = pending
    pending = undefined
    received = ''
    head = undefined
    ending = ''
    finished?.resolve({ status, ms: elapsedMs() - finished.sentMs, body })
  }
  const fail = (error: Error) => {
    pending?.reject(error)
    pending = undefined
  }
  /** Reads the text of what arrived only when it may be complete: joining it for each event would cost more than the event. */
  const readBody = (): string | undefined => {
    if (!head) return undefined
    const { bodyStart, length } = head
    if (length === undefined) return ending === LAST_CHUNK ? joinChunks(received.slice(bodyStart)) : undefined
    return received.length - bodyStart >= length ? received.slice(bodyStart) : undefined
  }
  const socket = await Bun.connect({
    hostname: url.hostname,
    port: Number(url.port),
    socket: {
      data(_, bytes) {
        const text = bytes.toString('latin1')
        received += text
        ending = (ending + text).slice(-LAST_CHUNK.length)
        pending?.onBytes?.(text)
        head ??= parseHead(received)
        const body = readBody()
        if (head && body !== undefined) finish(head.status, body)
      },
      close: () => fail(new Error('the connection was closed before the response was complete')),
      error: (_, error) => fail(error),
    },
  })
  return {
    send: (request, onBytes) =>
      new Promise((resolve, reject) => {
        pending = { sentMs: elapsedMs(), onBytes, resolve, reject }
        socket.write(request)
      }),
    close: () => {
      socket.end()
    },
  }
}

interface ResponseHead {
  readonly status: number
  readonly bodyStart: number
  /** Undefined for a chunked body. */
  readonly length: number | undefined
}

/** Returns undefined while the head is incomplete. */
function parseHead(received: string): ResponseHead | undefined {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const status = Number(received.slice(STATUS_START, STATUS_START + STATUS_CHARS))
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, headEnd))?.[1]
  return {
    status,
    bodyStart: headEnd + HEAD_END.length,
    length: length === undefined ? undefined : Number(length),
  }
}

/** Removes the chunk headers of a body. Returns undefined before its last chunk. Source: RFC 9112, section 7.1. */
function joinChunks(text: string): string | undefined {
  let body = ''
  let position = 0
  for (;;) {
    const lineEnd = text.indexOf('\r\n', position)
    const size = Number.parseInt(text.slice(position, lineEnd), 16)
    if (size === 0) return body
    const start = lineEnd + 2
    if (lineEnd < 0 || Number.isNaN(size) || start + size > text.length) return undefined
    body += text.slice(start, start + size)
    position = start + size + 2
  }
}

/** Serializes a POST request with a JSON body. */
export function postBytes(url: URL, headers: Readonly<Record<string, string>>, body: unknown): Uint8Array {
  const text = JSON.stringify(body)
  const lines = Object.entries({
    Host: url.host,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
}
