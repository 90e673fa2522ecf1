import { elapsedMs } from '../../core/clock.ts'
import { WireError } from './http-error.ts'
import { type AnswerListener, AnswerReader } from './response-parser.ts'
import type { WrittenRequest } from './write-request.ts'

/** Whoever asked something over a connection. */
export interface Asker extends AnswerListener {
  /** The connection is gone. `isStale`: it had rested, and ended about when it was asked, before anything came back. */
  lose(error: unknown, isStale: boolean): void
}

/** Whoever keeps connections for the next request. */
export interface Keeper {
  /** It can take another request. */
  free(connection: Connection): void
  /** It cannot be used any more. */
  gone(connection: Connection): void
}

/** So soon the end of a connection that rested is told. Later the other side had the request, and may have worked on it. */
const STALE_MS = 1000
const CLOSED = 'the connection was closed'

/** One connection to an upstream: one request at a time, and the answer to it. */
export class Connection {
  readonly origin: string
  private readonly socket: Bun.Socket
  private readonly keeper: Keeper
  private asker: Asker | undefined
  private reader: AnswerReader | undefined
  /** What the system has not taken yet. */
  private unsent: Uint8Array | undefined
  private isOpen = true
  private isPaused = false
  private isUsed = false
  private hasSpoken = false
  private askedMs = 0

  constructor(origin: string, socket: Bun.Socket, keeper: Keeper) {
    this.origin = origin
    this.socket = socket
    this.keeper = keeper
  }

  /** Sends a request. The asker is told of the answer, or that the connection is gone. */
  ask(asker: Asker, { head, body, size }: WrittenRequest): void {
    this.asker = asker
    this.reader = new AnswerReader(asker)
    this.hasSpoken = false
    if (this.isUsed) this.askedMs = elapsedMs()
    if (typeof body === 'string') this.sendText(head + body, size)
    else this.send(Buffer.concat([Buffer.from(head), body], size))
  }

  /** Nothing more is read until `resume`. */
  pause(): void {
    this.isPaused = true
    this.socket.pause()
  }

  resume(): void {
    this.isPaused = false
    this.socket.resume()
  }

  /** Ends it, whatever is under way. The asker is not told. */
  destroy(): void {
    this.asker = undefined
    this.close()
  }

  /** Bytes have come in. What nobody asked for ends the connection. */
  receive(bytes: Buffer<ArrayBuffer>): void {
    const { reader } = this
    this.hasSpoken = true
    try {
      reader?.push(bytes)
    } catch (error) {
      this.lose(error)
    }
    if (!reader) this.close()
    else if (this.asker && reader.isOver()) this.rest(reader)
  }

  /** The other side has closed, by which an answer may be whole, or with an error the system has given up. */
  lose(error?: unknown): void {
    const { asker, reader } = this
    this.asker = undefined
    this.close()
    if (!asker || (error === undefined && reader?.close())) return
    asker.lose(error ?? new WireError('ECONNRESET', CLOSED), this.isStale())
  }

  /** The system takes more. */
  drain(): void {
    const { unsent } = this
    this.unsent = undefined
    if (unsent) this.send(unsent)
  }

  private isStale(): boolean {
    return this.isUsed && !this.hasSpoken && elapsedMs() - this.askedMs < STALE_MS
  }

  private rest(reader: AnswerReader): void {
    this.asker = undefined
    this.reader = undefined
    this.isUsed = true
    if (this.isPaused) this.resume()
    if (reader.isReusable() && !this.unsent && this.isOpen) this.keeper.free(this)
    else this.close()
  }

  /** The runtime writes texts as UTF-8. */
  private sendText(text: string, size: number): void {
    const taken = this.socket.write(text)
    if (taken < size) this.keep(Buffer.from(text), taken)
  }

  private send(bytes: Uint8Array): void {
    const taken = this.socket.write(bytes)
    if (taken < bytes.byteLength) this.keep(bytes, taken)
  }

  /** Of a socket that is closed already the system takes less than nothing: its end is told soon. */
  private keep(bytes: Uint8Array, taken: number): void {
    this.unsent = bytes.subarray(Math.max(taken, 0))
  }

  private close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.keeper.gone(this)
    this.socket.terminate()
  }
}
