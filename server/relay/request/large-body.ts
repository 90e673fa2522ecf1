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

export type CommandResult = BodyReply | { readonly isTaken: true }

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
  /** Commands by sender, whose turn is next first. The thread has one command at a time, so that senders share it. */
  private readonly waiting = new Map<string, BodyCommand[]>()
  private isBusy = false
  private idleTimer: NodeJS.Timeout | undefined

  constructor() {
    this.worker.unref()
    this.worker.on('message', (result: CommandResult) => {
      this.isBusy = false
      this.postNext()
      if (!('isTaken' in result)) this.bodies.get(result.id)?.onReply(result)
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

  post(command: BodyCommand, sender: string): void {
    const commands = this.waiting.get(sender) ?? []
    const kept = command.type === 'drop' ? commands.filter(({ id }) => id !== command.id) : commands
    this.waiting.set(sender, [...kept, command])
    this.postNext()
  }

  private postNext(): void {
    const [turn] = this.waiting
    if (this.isBusy || !turn) return
    const [sender, commands] = turn
    const command = commands.shift()
    this.waiting.delete(sender)
    if (commands.length > 0) this.waiting.set(sender, commands)
    this.isBusy = true
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
  private readonly sender: string
  private failure: { readonly error: unknown } | undefined

  constructor(limits: JsonLimits, sender: string) {
    this.sender = sender
    thread ??= new BodyThread()
    this.thread = thread
    this.thread.add(this)
    this.thread.post({ id: this.id, type: 'begin', limits }, sender)
    // A failure may come before the end of the body, and is then thrown by `push`.
    this.checked.promise.catch(() => undefined)
  }

  /** Throws what is wrong with an earlier piece, as the parser of the body does. */
  push(text: string): void {
    if (this.failure) throw this.failure.error
    this.thread.post({ id: this.id, type: 'piece', text }, this.sender)
  }

  /** Resolves when the complete body is checked. Rejects as `push`, and as `JsonBodyParser.separate`. */
  finish(): Promise<CheckedJson> {
    this.thread.post({ id: this.id, type: 'end' }, this.sender)
    return this.checked.promise
  }

  drop(): void {
    this.thread.post({ id: this.id, type: 'drop' }, this.sender)
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
