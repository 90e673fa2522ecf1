import type { Stretch } from './byte-range.ts'
import type { Asker, Connection } from './connection.ts'
import { openConnection, takeConnection } from './connection-pool.ts'
import { unpacked } from './decompress.ts'
import { WireError } from './http-error.ts'
import { type Flow, WireResponse } from './http-response.ts'
import type { AnswerHead } from './response-head.ts'
import { type Destination, readDestination } from './target.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import { type WireRequest, type WrittenRequest, writeRequest } from './write-request.ts'

/** One request over HTTP/1.1, from finding a connection to the last byte of its answer. */
export class WireCall implements Asker, Flow {
  /** Resolves when the head of the answer is there. Rejects with what prevented it, or with the reason of `cancel`. */
  readonly response: Promise<UpstreamResponse>
  private readonly destination: Destination
  /** Until something is answered: then it is not asked again, and what may be large is let go. */
  private written: WrittenRequest | undefined
  private readonly answered = Promise.withResolvers<UpstreamResponse>()
  private connection: Connection | undefined
  private incoming: WireResponse | undefined
  private hasEnded = false

  /** Throws TypeError and WireError for a request that cannot be sent. */
  constructor(request: WireRequest) {
    this.response = this.answered.promise
    this.destination = readDestination(request.url)
    this.written = writeRequest(this.destination, request)
    const connection = takeConnection(this.destination.origin)
    if (connection) this.askOver(connection)
    else this.askAnew()
  }

  head(head: AnswerHead): void {
    this.written = undefined
    this.incoming = new WireResponse(head, this)
    this.answered.resolve(unpacked(this.incoming))
  }

  piece(stretch: Stretch): void {
    this.incoming?.push(stretch)
  }

  end(): void {
    this.hasEnded = true
    this.connection = undefined
    this.incoming?.finish()
  }

  /** A connection that rested may have been closed by the other side in this moment, before it saw the request. */
  lose(error: unknown, isStale: boolean): void {
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
  cancel(reason: unknown = new WireError('ECANCELED', 'the call was ended')): void {
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

  private askOver(connection: Connection): void {
    if (this.hasEnded || !this.written) {
      connection.destroy()
      return
    }
    this.connection = connection
    connection.ask(this, this.written)
  }
}
