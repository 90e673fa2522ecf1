import { sleepMs } from '../kernel/clock.ts'
import { GatewayError } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { openRareLine } from '../kernel/rare-line.ts'
import type { Refusals } from './enter-openings.ts'
import type { Hold } from './hold.ts'
import { isOpening, type Movement } from './movement.ts'

interface QueueOptions {
  /** Writes all of them or, when it throws, none. */
  readonly commit: (movements: readonly Movement[]) => Promise<Refusals>
  readonly log: Log
}

interface Waiting {
  readonly movement: Movement
  readonly answer: (refusal: GatewayError | 'closed' | undefined) => void
  readonly reject: (error: GatewayError) => void
  failures: number
}

const BATCH_MOVEMENTS_MAX = 512
const REFUSED_BY_STORAGE = 'the gateway’s storage takes no writes at the moment; nothing was charged'
/** After a batch larger than this many more are on their way: waiting for them a moment makes fewer, larger commits. */
const CROWD_MOVEMENTS = 4
const GATHERING_MS = 1
/** New holds are refused beyond this; what closes a hold is always taken. */
const WAITING_MOVEMENTS_MAX = 50_000
/** Holds that wait for the storage to work again. What is beyond it the next start gives back. */
const OWED_HOLDS_MAX = 50_000
/** A closing is tried this often, with pauses of 50, 100, 200 … ms: money must not be lost to a short disturbance. */
const CLOSING_ATTEMPTS_MAX = 6
const FIRST_PAUSE_MS = 50

/**
 * Natural batching: what arrives during one turn of the event loop, or while the former batch is being committed,
 * shares one transaction. Alone a request waits for one small commit; under load hundreds share one.
 */
export class MovementQueue {
  private readonly commit: QueueOptions['commit']
  private readonly noteFailure: ReturnType<typeof openRareLine>
  private waiting: Waiting[] = []
  private owed: Hold[] = []
  private unanswered = 0
  private isDraining = false
  private isClosed = false
  private whenEmpty: () => void = () => undefined

  constructor({ commit, log }: QueueOptions) {
    this.commit = commit
    this.noteFailure = openRareLine(log, 'the books could not be written')
  }

  /** Resolves after the commit: undefined when it was done, else why not. Rejects with storage_failed. */
  submit(movement: Movement): Promise<GatewayError | 'closed' | undefined> {
    if (isOpening(movement) && (this.isClosed || this.waiting.length >= WAITING_MOVEMENTS_MAX))
      return Promise.reject(new GatewayError('storage_failed', 'the books take no new holds at the moment'))
    return new Promise((resolve, reject) => {
      this.unanswered += 1
      this.enqueue({ movement, answer: resolve, reject, failures: 0 })
    })
  }

  /** Refuses new holds and resolves when everything taken has been answered. */
  close(): Promise<void> {
    this.isClosed = true
    if (this.unanswered === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.whenEmpty = resolve
    })
  }

  private enqueue(waiting: Waiting): void {
    this.waiting.push(waiting)
    if (this.isDraining) return
    this.isDraining = true
    setImmediate(() => void this.drain())
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH_MOVEMENTS_MAX)
      await this.write(batch)
      await (batch.length > CROWD_MOVEMENTS ? sleepMs(GATHERING_MS) : nextTurn())
    }
    this.isDraining = false
  }

  /** A batch that fails is taken apart, so that one bad member cannot fail the others. */
  private async write(batch: readonly Waiting[]): Promise<void> {
    try {
      const refusals = await this.commit(batch.map(waiting => waiting.movement))
      for (const waiting of batch) this.settle(() => waiting.answer(refusals.get(waiting.movement)))
      for (const hold of this.owed.splice(0)) this.giveBack(hold)
    } catch (error) {
      const [only] = batch
      if (batch.length === 1 && only) this.fail(only, error)
      else for (const waiting of batch) await this.write([waiting])
    }
  }

  private fail(waiting: Waiting, cause: unknown): void {
    waiting.failures += 1
    const { movement, failures } = waiting
    if (!isOpening(movement) && failures < CLOSING_ATTEMPTS_MAX) {
      void sleepMs(FIRST_PAUSE_MS * 2 ** (failures - 1)).then(() => this.enqueue(waiting))
      return
    }
    this.noteFailure({ request_id: movement.hold.requestId, movement: movement.kind, error: cause })
    if (movement.kind === 'reserve') this.giveBack(movement.hold)
    else if (!isOpening(movement)) this.owe(movement.hold)
    this.settle(() => waiting.reject(new GatewayError('storage_failed', REFUSED_BY_STORAGE, { cause })))
  }

  /** A hold that could not be closed, whose caller was told so, is given back as soon as a commit succeeds again. */
  private owe(hold: Hold): void {
    if (this.owed.length < OWED_HOLDS_MAX) this.owed.push(hold)
  }

  /** A commit whose answer was lost may have happened: the hold it may have left is given back, or owed if that fails. */
  private giveBack(hold: Hold): void {
    this.submit({ kind: 'release', hold }).catch(() => undefined)
  }

  private settle(answer: () => void): void {
    answer()
    this.unanswered -= 1
    if (this.unanswered === 0) this.whenEmpty()
  }
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
