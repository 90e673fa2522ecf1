import { Worker } from 'node:worker_threads'
import { type ErrorCode, GatewayError } from '../../core/errors.ts'
import type { CheckedJson, JsonLimits } from '../../core/json/json.ts'
import type { BothLanguages } from '../../core/language.ts'

/** A message to the thread. A text is handed over without a copy. */
export type BodyCommand =
  | { readonly id: number; readonly type: 'begin'; readonly limits: JsonLimits }
  | { readonly id: number; readonly type: 'piece'; readonly text: string }
  | { readonly id: number; readonly type: 'end' | 'drop' }

/** A message of the thread about one body. Its members are plain, because the texts of such a message are not copied. */
export type BodyReply = { readonly id: number } & (CheckedJson | BodyFailure)

type BodyFailure = { readonly code: ErrorCode } & BothLanguages

/** An idle thread is ended, since it keeps some of its memory. */
const IDLE_MS_MAX = 60_000

/**
 * Checks large bodies on a thread of its own, which also takes their long strings apart: on the main thread every stream would
 * wait. Started by the first large body.
 */
class BodyThread {
  private readonly worker = new Worker(new URL('./body-thread.ts', import.meta.url))
  private readonly bodies = new Map<number, LargeBody>()
  private idleTimer: NodeJS.Timeout | undefined

  constructor() {
    this.worker.unref()
    this.worker.on('message', (reply: BodyReply) => {
      this.bodies.get(reply.id)?.onReply(reply)
    })
    this.worker.on('error', error => this.end(error))
  }

  add(body: LargeBody): void {
    clearTimeout(this.idleTimer)
    this.bodies.set(body.id, body)
  }

  remove(body: LargeBody): void {
    if (!this.bodies.delete(body.id) || this.bodies.size > 0) return
    this.idleTimer = setTimeout(() => this.end(new Error('the thread was idle')), IDLE_MS_MAX)
  }

  post(command: BodyCommand): void {
    this.worker.postMessage(command)
  }

  private end(error: unknown): void {
    if (thread === this) thread = undefined
    for (const body of this.bodies.values()) body.fail(error)
    void this.worker.terminate()
  }
}

let thread: BodyThread | undefined
let lastId = 0

/** A large body on its way through the thread. Call `drop` when it is not read to its end. */
export class LargeBody {
  readonly id = ++lastId
  private readonly thread: BodyThread
  private readonly checked = Promise.withResolvers<CheckedJson>()
  private failure: { readonly error: unknown } | undefined

  constructor(limits: JsonLimits) {
    thread ??= new BodyThread()
    this.thread = thread
    this.thread.add(this)
    this.thread.post({ id: this.id, type: 'begin', limits })
    // A failure may come before the end of the body, and is then thrown by `push`.
    this.checked.promise.catch(() => undefined)
  }

  /** Throws what is wrong with an earlier piece, as the parser of the body does. */
  push(text: string): void {
    if (this.failure) throw this.failure.error
    this.thread.post({ id: this.id, type: 'piece', text })
  }

  /** Resolves when the complete body is checked. Rejects as `push`, and as `JsonBodyParser.separate`. */
  finish(): Promise<CheckedJson> {
    this.thread.post({ id: this.id, type: 'end' })
    return this.checked.promise
  }

  drop(): void {
    this.thread.post({ id: this.id, type: 'drop' })
    this.thread.remove(this)
  }

  onReply(reply: BodyReply): void {
    if ('code' in reply) this.fail(new GatewayError(reply.code, reply))
    else this.checked.resolve(reply)
    this.thread.remove(this)
  }

  fail(error: unknown): void {
    this.failure = { error }
    this.checked.reject(error)
  }
}
