import { elapsedMs } from '../server/core/clock.ts'

/** The response to one request. */
export interface Arrival {
  readonly status: number
  /** From sending to the last byte. */
  readonly ms: number
  readonly body: string
}

/** One kept-alive connection; one request at a time. */
export interface Connection {
  send(request: Uint8Array, onBytes?: (text: string) => void): Promise<Arrival>
  close(): void
}

interface PendingRequest {
  readonly sentMs: number
  readonly onBytes: ((text: string) => void) | undefined
  resolve(arrival: Arrival): void
  reject(error: Error): void
}

/** Position of the status in `HTTP/1.1 200 OK`. */
const STATUS_START = 9
const STATUS_LETTERS = 3
const HEAD_END = '\r\n\r\n'
/** Ends a chunked body. Searched for before the chunks are parsed, which is cheaper. */
const LAST_CHUNK = '\r\n0\r\n\r\n'

/**
 * A minimal client that leaves the CPU to the measured program. Of HTTP/1.1 it supports only responses with a length
 * and chunked ones.
 */
export async function openConnection(url: URL): Promise<Connection> {
  let received = ''
  let waiting: PendingRequest | undefined

  const finish = (status: number, body: string) => {
    const done = waiting
    waiting = undefined
    received = ''
    done?.resolve({ status, ms: elapsedMs() - done.sentMs, body })
  }
  const fail = (error: Error) => {
    waiting?.reject(error)
    waiting = undefined
  }
  const socket = await Bun.connect({
    hostname: url.hostname,
    port: Number(url.port),
    socket: {
      data(_, bytes) {
        const text = bytes.toString('latin1')
        received += text
        waiting?.onBytes?.(text)
        const json = readJson(received)
        if (json) finish(json.status, json.body)
      },
      close: () => fail(new Error('the connection was closed before the response was complete')),
      error: (_, error) => fail(error),
    },
  })
  return {
    send: (request, onBytes) =>
      new Promise((resolve, reject) => {
        waiting = { sentMs: elapsedMs(), onBytes, resolve, reject }
        socket.write(request)
      }),
    close: () => {
      socket.end()
    },
  }
}

/** The response once it is complete. */
function readJson(received: string): { readonly status: number; readonly body: string } | undefined {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const status = Number(received.slice(STATUS_START, STATUS_START + STATUS_LETTERS))
  const rest = received.slice(headEnd + HEAD_END.length)
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, headEnd))?.[1]
  if (length !== undefined) return rest.length >= Number(length) ? { status, body: rest } : undefined
  const body = received.endsWith(LAST_CHUNK) ? unchunked(rest) : undefined
  return body === undefined ? undefined : { status, body }
}

/** The body without chunk headers; undefined before its last chunk. Source: RFC 9112, section 7.1. */
function unchunked(text: string): string | undefined {
  let body = ''
  let at = 0
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    if (size === 0) return body
    const start = lineEnd + 2
    if (lineEnd < 0 || Number.isNaN(size) || start + size > text.length) return undefined
    body += text.slice(start, start + size)
    at = start + size + 2
  }
}

/** The bytes of a POST with a JSON body. */
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
