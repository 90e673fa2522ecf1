import { KIB, MIB } from '../../core/limits.ts'
import type { ResponseHeaders } from '../../provider-kit/failures.ts'
import { ConnectionPool } from './connection-pool.ts'
import {
  type ConnectionUse,
  type HttpCallListener,
  type HttpConnection,
  openConnection,
} from './http-connection.ts'
import {
  HttpError,
  type HttpResponse,
  ResponseStalledError,
  readAllBytes,
  StreamHttpResponse,
} from './http-response.ts'
import { type ByteRange, type ResponseHead, rangeBytes, rangeLength, rangeText } from './response-parser.ts'
import {
  type HttpRequest,
  parseTarget,
  type RequestTarget,
  type SerializedRequest,
  serializeRequest,
} from './write-request.ts'

const upstreamConnections = new ConnectionPool<HttpConnection>()

/** One HTTP/1.1 request, from finding a connection to the last byte of the response. */
export class HttpCall implements HttpCallListener, FlowControl {
  /** Resolves when the response head arrives. Rejects with the network error, or with the reason given to `cancel`. */
  readonly response: Promise<HttpResponse>
  private readonly target: RequestTarget
  private readonly use: ConnectionUse
  /** Dropped once a response begins: the request is never resent then, and its body may be large. */
  private request: SerializedRequest | undefined
  private readonly responded = Promise.withResolvers<HttpResponse>()
  private connection: HttpConnection | undefined
  private incoming: IncomingResponse | undefined
  private hasEnded = false

  /** Throws TypeError or HttpError when the request cannot be sent. */
  constructor(request: HttpRequest, { owner, pool = upstreamConnections }: Partial<ConnectionUse> = {}) {
    this.response = this.responded.promise
    this.target = parseTarget(request.url)
    this.request = serializeRequest(this.target, request)
    this.use = { owner, pool }
    const connection = owner === undefined ? undefined : pool.take(this.target.origin, owner)
    if (connection) this.sendOver(connection)
    else this.sendOverNewConnection()
  }

  onHead(head: ResponseHead): void {
    this.request = undefined
    this.incoming = new IncomingResponse(head, this)
    this.responded.resolve(decompressResponse(this.incoming))
  }

  onData(range: ByteRange): void {
    this.incoming?.push(range)
  }

  onEnd(): void {
    this.hasEnded = true
    this.connection = undefined
    this.incoming?.finish()
  }

  /** The server may close an idle connection just before it sees the request, which is then safe to resend. */
  onConnectionLost(error: unknown, isStale: boolean): void {
    this.connection = undefined
    if (isStale) {
      this.sendOverNewConnection()
      return
    }
    this.hasEnded = true
    this.responded.reject(error)
    this.incoming?.fail(error)
  }

  pause(): void {
    this.connection?.pause()
  }

  resume(): void {
    this.connection?.resume()
  }

  /** Ends the call unless it is over already. */
  cancel(reason: unknown = new HttpError('ECANCELED', 'the call was cancelled')): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.connection?.destroy()
    this.connection = undefined
    this.responded.reject(reason)
    this.incoming?.fail(reason)
  }

  private sendOverNewConnection(): void {
    openConnection(this.target, this.use).then(
      connection => this.sendOver(connection),
      error => this.responded.reject(error),
    )
  }

  private sendOver(connection: HttpConnection): void {
    if (this.hasEnded || !this.request) {
      connection.destroy()
      return
    }
    this.connection = connection
    connection.send(this, this.request)
  }
}

/** Lets the reader of a response slow down or end its call. */
interface FlowControl {
  pause(): void
  resume(): void
  cancel(reason?: unknown): void
}

type PendingRead = PromiseWithResolvers<Uint8Array<ArrayBuffer> | undefined>

interface CompletedRead {
  readonly read: PendingRead
  readonly bytes: Uint8Array<ArrayBuffer>
}

let completedReads: CompletedRead[] = []

/**
 * Resolves a read when everything that has arrived in this turn of the event loop is received. Each step of a stream then runs
 * for all streams in a row, which costs less than all steps of one stream after another: code and data stay in the caches.
 */
function resolveAfterTurn(read: PendingRead, bytes: Uint8Array<ArrayBuffer>): void {
  if (completedReads.push({ read, bytes }) === 1) setImmediate(resolveCompletedReads)
}

function resolveCompletedReads(): void {
  const completed = completedReads
  completedReads = []
  for (const { read, bytes } of completed) read.resolve(bytes)
}

/** Above it a slow reader makes the server wait. */
const BUFFERED_BYTES_MAX = 256 * KIB

/** A response as it arrives over a connection. It allows one pending read at a time. */
class IncomingResponse implements HttpResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: ResponseHeaders
  readonly hasBody: boolean
  private readonly flow: FlowControl
  private buffered: ByteRange[] = []
  private bufferedBytes = 0
  private pendingRead: PendingRead | undefined
  private stallDeadline: NodeJS.Timeout | undefined
  private stallMs = 0
  /** One closure for all reads, since a stream has many. */
  private onStall: (() => void) | undefined
  private isPaused = false
  private isComplete = false
  private failure: unknown

  constructor({ status, headers, bodyEnd }: ResponseHead, flow: FlowControl) {
    this.status = status
    this.ok = status >= 200 && status < 300
    this.headers = headers
    this.hasBody = bodyEnd !== 'none'
    this.flow = flow
  }

  next(timeoutMs?: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const range = this.buffered.shift()
    if (range) {
      this.bufferedBytes -= rangeLength(range)
      this.resumeBelowHalf()
      return Promise.resolve(rangeBytes(range))
    }
    if (this.failure !== undefined) return Promise.reject(this.failure)
    if (this.isComplete) return Promise.resolve(undefined)
    if (timeoutMs) this.setStallDeadline(timeoutMs)
    this.pendingRead = Promise.withResolvers()
    return this.pendingRead.promise
  }

  readAll(bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
    return readAllBytes(this, bytesMax)
  }

  bufferedText(bytesMax: number): string | undefined {
    const [only, second] = this.buffered
    if (!this.isComplete || !only || second || rangeLength(only) > bytesMax) return undefined
    this.buffered = []
    return rangeText(only)
  }

  cancel(reason?: unknown): void {
    this.flow.cancel(reason)
  }

  push(range: ByteRange): void {
    const read = this.takePendingRead()
    if (read) {
      resolveAfterTurn(read, rangeBytes(range))
      return
    }
    this.buffered.push(range)
    this.bufferedBytes += rangeLength(range)
    if (this.bufferedBytes <= BUFFERED_BYTES_MAX || this.isPaused) return
    this.isPaused = true
    this.flow.pause()
  }

  finish(): void {
    this.isComplete = true
    this.takePendingRead()?.resolve(undefined)
  }

  /** Bytes received before the failure can still be read. */
  fail(error: unknown): void {
    this.failure ??= error
    this.takePendingRead()?.reject(error)
  }

  private takePendingRead(): PendingRead | undefined {
    const { pendingRead } = this
    this.pendingRead = undefined
    clearTimeout(this.stallDeadline)
    return pendingRead
  }

  private setStallDeadline(timeoutMs: number): void {
    this.stallMs = timeoutMs
    this.onStall ??= () => this.cancel(new ResponseStalledError(this.stallMs))
    this.stallDeadline = setTimeout(this.onStall, timeoutMs)
  }

  private resumeBelowHalf(): void {
    if (!this.isPaused || this.bufferedBytes > BUFFERED_BYTES_MAX / 2) return
    this.isPaused = false
    this.flow.resume()
  }
}

const COMPRESSION_FORMATS: ReadonlyMap<string, Bun.CompressionFormat> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'brotli'],
  ['zstd', 'zstd'],
])

/** Texts and vectors are compressed to a tenth; only repetition is compressed to less than this part. */
const COMPRESSION_RATIO_MAX = 200
const DECOMPRESSED_BYTES_ALLOWED = MIB

/**
 * Decompresses the body of a server that compresses although `identity` was requested; returns other responses
 * unchanged. Throws HttpError EPROTO for an unknown content encoding; reading throws it for a body that grows too much.
 */
export function decompressResponse(response: HttpResponse): HttpResponse {
  const { status, ok, headers } = response
  const coding = headers.get('content-encoding')?.toLowerCase()
  if (!coding || coding === 'identity' || !response.hasBody) return response
  const format = COMPRESSION_FORMATS.get(coding)
  if (!format) throw new HttpError('EPROTO', 'the content encoding is unknown')
  let allowedBytes = DECOMPRESSED_BYTES_ALLOWED
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      allowedBytes -= chunk.byteLength
      if (allowedBytes < 0) throw new HttpError('EPROTO', 'the body grows too much when it is decompressed')
      controller.enqueue(chunk)
    },
  })
  const source = toStream(response, chunk => {
    allowedBytes += chunk.byteLength * COMPRESSION_RATIO_MAX
  })
  const body = source.pipeThrough(createDecompressor(format)).pipeThrough(counted)
  return new StreamHttpResponse({ status, ok, headers, body }, reason => response.cancel(reason))
}

/** Bun supports more formats than the DOM's declaration of DecompressionStream lists, so the cast is safe. */
const createDecompressor = (format: Bun.CompressionFormat) =>
  new DecompressionStream(format as CompressionFormat)

/** Reads from upstream only when the consumer requests more. */
const toStream = (
  response: HttpResponse,
  onChunk: (chunk: Uint8Array) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const chunk = await response.next()
        if (!chunk) return controller.close()
        onChunk(chunk)
        controller.enqueue(chunk)
      },
      cancel: reason => response.cancel(reason),
    },
    { highWaterMark: 0 },
  )
