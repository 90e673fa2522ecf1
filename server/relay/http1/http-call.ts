import { type ByteRange, rangeLength, rangeText, rangeBytes, type ResponseHead } from './response-parser.ts'
import { openConnection, takeIdleConnection, type HttpExchangeListener, type HttpConnection } from './connection-pool.ts'
import { type HttpResponse, readAllBytes, ResponseStalledError, HttpError, decompressResponse } from './http-response.ts'
import { type HttpRequest, type SerializedRequest, serializeRequest, type RequestTarget, parseTarget } from './write-request.ts'
import { type Deadline, setDeadline } from '../../core/deadlines.ts'
import { KIB } from '../../core/limits.ts'
import type { AnswerHeaders } from '../../provider-kit/answer-headers.ts'

/** One request over HTTP/1.1, from finding a connection to the last byte of its answer. */
export class HttpCall implements HttpExchangeListener, FlowControl {
  /** Resolves when the head of the answer is there. Rejects with what prevented it, or with the reason of `cancel`. */
  readonly response: Promise<HttpResponse>
  private readonly destination: RequestTarget
  /** Until something is answered: then it is not asked again, and what may be large is let go. */
  private written: SerializedRequest | undefined
  private readonly answered = Promise.withResolvers<HttpResponse>()
  private connection: HttpConnection | undefined
  private incoming: Http1Response | undefined
  private hasEnded = false

  /** Throws TypeError and WireError for a request that cannot be sent. */
  constructor(request: HttpRequest) {
    this.response = this.answered.promise
    this.destination = parseTarget(request.url)
    this.written = serializeRequest(this.destination, request)
    const connection = takeIdleConnection(this.destination.origin)
    if (connection) this.askOver(connection)
    else this.askAnew()
  }

  head(head: ResponseHead): void {
    this.written = undefined
    this.incoming = new Http1Response(head, this)
    this.answered.resolve(decompressResponse(this.incoming))
  }

  onData(stretch: ByteRange): void {
    this.incoming?.push(stretch)
  }

  onEnd(): void {
    this.hasEnded = true
    this.connection = undefined
    this.incoming?.finish()
  }

  /** A connection that rested may have been closed by the other side in this moment, before it saw the request. */
  onConnectionLost(error: unknown, isStale: boolean): void {
    this.connection = undefined
    if (isStale) {
      this.askAnew()
      return
    }
    this.hasEnded = true
    this.answered.reject(error)
    this.incoming?.fail(error)
  }

  pause(): void {
    this.connection?.pause()
  }

  resume(): void {
    this.connection?.resume()
  }

  /** Ends it, if it is not over yet. */
  cancel(reason: unknown = new HttpError('ECANCELED', 'the call was ended')): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.connection?.destroy()
    this.connection = undefined
    this.answered.reject(reason)
    this.incoming?.fail(reason)
  }

  /** All of the answer has come, or nothing of it will come any more. */
  isOver(): boolean {
    return this.hasEnded
  }

  private askAnew(): void {
    openConnection(this.destination).then(
      connection => this.askOver(connection),
      error => this.answered.reject(error),
    )
  }

  private askOver(connection: HttpConnection): void {
    if (this.hasEnded || !this.written) {
      connection.destroy()
      return
    }
    this.connection = connection
    connection.ask(this, this.written)
  }
}

/** What the connection does for whoever reads. */
interface FlowControl {
  /** Nothing more is taken from the other side until `resume`. */
  pause(): void
  resume(): void
  cancel(reason?: unknown): void
}

type Reader = PromiseWithResolvers<Uint8Array<ArrayBuffer> | undefined>

/** Beyond it a slow reader makes the other side wait. */
const WAITING_BYTES_MAX = 256 * KIB

/** An answer as it comes in over a connection. One reader at a time. */
class Http1Response implements HttpResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: AnswerHeaders
  readonly hasBody: boolean
  private readonly flow: FlowControl
  private waiting: ByteRange[] = []
  private waitingBytes = 0
  private reader: Reader | undefined
  private patience: Deadline | undefined
  private patienceMs = 0
  /** One for all pieces: a stream has many. */
  private giveUp: (() => void) | undefined
  private isPaused = false
  private isWhole = false
  private failure: unknown

  constructor({ status, headers, bodyEnd }: ResponseHead, flow: FlowControl) {
    this.status = status
    this.ok = status >= 200 && status < 300
    this.headers = headers
    this.hasBody = bodyEnd !== 'none'
    this.flow = flow
  }

  next(patienceMs?: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const stretch = this.waiting.shift()
    if (stretch) {
      this.waitingBytes -= rangeLength(stretch)
      this.resumeBelowHalf()
      return Promise.resolve(rangeBytes(stretch))
    }
    if (this.failure !== undefined) return Promise.reject(this.failure)
    if (this.isWhole) return Promise.resolve(undefined)
    if (patienceMs) this.listen(patienceMs)
    this.reader = Promise.withResolvers()
    return this.reader.promise
  }

  readAll(bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
    return readAllBytes(this, bytesMax)
  }

  bufferedText(bytesMax: number): string | undefined {
    const [only, second] = this.waiting
    if (!this.isWhole || !only || second || rangeLength(only) > bytesMax) return undefined
    this.waiting = []
    return rangeText(only)
  }

  cancel(reason?: unknown): void {
    this.flow.cancel(reason)
  }

  /** Further bytes have come. */
  push(stretch: ByteRange): void {
    if (this.reader) {
      this.takeReader()?.resolve(rangeBytes(stretch))
      return
    }
    this.waiting.push(stretch)
    this.waitingBytes += rangeLength(stretch)
    if (this.waitingBytes <= WAITING_BYTES_MAX || this.isPaused) return
    this.isPaused = true
    this.flow.pause()
  }

  finish(): void {
    this.isWhole = true
    this.takeReader()?.resolve(undefined)
  }

  /** What came before is still read. */
  fail(error: unknown): void {
    this.failure ??= error
    this.takeReader()?.reject(error)
  }

  private takeReader(): Reader | undefined {
    const { reader } = this
    this.reader = undefined
    this.patience?.drop()
    return reader
  }

  private listen(patienceMs: number): void {
    this.patienceMs = patienceMs
    this.giveUp ??= () => this.cancel(new ResponseStalledError(this.patienceMs))
    this.patience = setDeadline(patienceMs, this.giveUp)
  }

  private resumeBelowHalf(): void {
    if (!this.isPaused || this.waitingBytes > WAITING_BYTES_MAX / 2) return
    this.isPaused = false
    this.flow.resume()
  }
}
