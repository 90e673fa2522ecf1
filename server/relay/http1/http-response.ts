import { type Deadline, setDeadline } from '../../core/deadlines.ts'
import { KIB } from '../../core/limits.ts'
import type { AnswerHeaders } from '../../provider-kit/answer-headers.ts'
import { type Stretch, sizeOf, textOf, viewOf } from './byte-range.ts'
import type { AnswerHead } from './response-head.ts'
import { gather, SilentUpstream, type UpstreamResponse } from './upstream-response.ts'

/** What the connection does for whoever reads. */
export interface Flow {
  /** Nothing more is taken from the other side until `resume`. */
  pause(): void
  resume(): void
  cancel(reason?: unknown): void
}

type Reader = PromiseWithResolvers<Uint8Array<ArrayBuffer> | undefined>

/** Beyond it a slow reader makes the other side wait. */
const WAITING_BYTES_MAX = 256 * KIB

/** An answer as it comes in over a connection. One reader at a time. */
export class WireResponse implements UpstreamResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: AnswerHeaders
  readonly hasBody: boolean
  private readonly flow: Flow
  private waiting: Stretch[] = []
  private waitingBytes = 0
  private reader: Reader | undefined
  private patience: Deadline | undefined
  private patienceMs = 0
  /** One for all pieces: a stream has many. */
  private giveUp: (() => void) | undefined
  private isPaused = false
  private isWhole = false
  private failure: unknown

  constructor({ status, headers, bodyEnd }: AnswerHead, flow: Flow) {
    this.status = status
    this.ok = status >= 200 && status < 300
    this.headers = headers
    this.hasBody = bodyEnd !== 'none'
    this.flow = flow
  }

  next(patienceMs?: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const stretch = this.waiting.shift()
    if (stretch) {
      this.waitingBytes -= sizeOf(stretch)
      this.resumeBelowHalf()
      return Promise.resolve(viewOf(stretch))
    }
    if (this.failure !== undefined) return Promise.reject(this.failure)
    if (this.isWhole) return Promise.resolve(undefined)
    if (patienceMs) this.listen(patienceMs)
    this.reader = Promise.withResolvers()
    return this.reader.promise
  }

  bytes(bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
    return gather(this, bytesMax)
  }

  textAtHand(bytesMax: number): string | undefined {
    const [only, second] = this.waiting
    if (!this.isWhole || !only || second || sizeOf(only) > bytesMax) return undefined
    this.waiting = []
    return textOf(only)
  }

  cancel(reason?: unknown): void {
    this.flow.cancel(reason)
  }

  /** Further bytes have come. */
  push(stretch: Stretch): void {
    if (this.reader) {
      this.takeReader()?.resolve(viewOf(stretch))
      return
    }
    this.waiting.push(stretch)
    this.waitingBytes += sizeOf(stretch)
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
    this.giveUp ??= () => this.cancel(new SilentUpstream(this.patienceMs))
    this.patience = setDeadline(patienceMs, this.giveUp)
  }

  private resumeBelowHalf(): void {
    if (!this.isPaused || this.waitingBytes > WAITING_BYTES_MAX / 2) return
    this.isPaused = false
    this.flow.resume()
  }
}
