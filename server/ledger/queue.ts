import { sleepMs } from '../core/clock.ts'
import { type Deadline, setDeadline } from '../core/deadlines.ts'
import { GatewayError } from '../core/errors.ts'
import { gatherCompany } from '../core/gather-company.ts'
import type { Log } from '../core/log.ts'
import { openRareLine } from '../core/rare-line.ts'
import type { Refusals } from './enter-openings.ts'
import type { Hold } from './hold.ts'
import { isConnectionLost } from './is-connection-lost.ts'
import { isOpening, type Movement } from './movement.ts'

interface QueueOptions {
  /** Writes all of them or, when it throws, none. */
  readonly commit: (movements: readonly Movement[]) => Promise<Refusals>
  readonly log: Log
  /** How long an opening is waited for. Absent: as long as callers are looked up. */
  readonly openingMsMax?: number
}

interface Waiting {
  readonly movement: Movement
  readonly answer: (refusal: GatewayError | 'closed' | undefined) => void
  readonly reject: (error: GatewayError) => void
  failures: number
  /** Until when an opening is waited for. */
  deadline: Deadline | undefined
  /** Its caller was told that it failed: should it get in after all, it is taken back. */
  isGivenUp: boolean
}

const BATCH_MOVEMENTS_MAX = 512
const OPENING_MS_MAX = 6_000
const REFUSED_BY_STORAGE = 'the gateway’s storage takes no writes at the moment; nothing was charged'
/** New holds are refused beyond this; what closes a hold is always taken. */
const WAITING_MOVEMENTS_MAX = 50_000
/** Holds that wait for the storage to work again. What is beyond it the next start gives back. */
const OWED_HOLDS_MAX = 50_000
/** A closing is tried this often, with pauses of 50, 100, 200 … ms: money must not be lost to a short disturbance. */
const CLOSING_ATTEMPTS_MAX = 6
/** An opening is tried again where it met a connection that was gone, as long as it is waited for. */
const OPENING_ATTEMPTS_MAX = 2
const FIRST_PAUSE_MS = 50

/**
 * Natural batching: what arrives while the former batch is being committed, or until a turn of the event loop brings
 * nothing more, shares one transaction. Alone a request waits for one small commit; under load hundreds share one.
 */
export class MovementQueue {
  private readonly commit: QueueOptions['commit']
  private readonly openingMsMax: number
  private readonly noteFailure: ReturnType<typeof openRareLine>
  private waiting: Waiting[] = []
  private owed: Hold[] = []
  private unanswered = 0
  private hasFailed = false
  private isDraining = false
  private isClosed = false
  private whenEmpty: () => void = () => undefined

  constructor({ commit, log, openingMsMax = OPENING_MS_MAX }: QueueOptions) {
    this.commit = commit
    this.openingMsMax = openingMsMax
    this.noteFailure = openRareLine(log, 'the books could not be written')
  }

  /** Resolves to the hold after its commit. Rejects with why it was refused, or with storage_failed. */
  reserve(hold: Hold): Promise<Hold> {
    return new Promise((resolve, reject) =>
      this.take({
        movement: { kind: 'reserve', hold },
        answer: refusal => (refusal instanceof Error ? reject(refusal) : resolve(hold)),
        reject,
      }),
    )
  }

  /** Resolves after the commit: undefined when it was done, else why not. Rejects with storage_failed. */
  submit(movement: Movement): Promise<GatewayError | 'closed' | undefined> {
    return new Promise((answer, reject) => this.take({ movement, answer, reject }))
  }

  /** Whether the last commit could not be made. */
  isFailing(): boolean {
    return this.hasFailed
  }

  /** Refuses new holds and resolves when everything taken has been answered. */
  close(): Promise<void> {
    this.isClosed = true
    if (this.unanswered === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.whenEmpty = resolve
    })
  }

  private take(asked: Pick<Waiting, 'movement' | 'answer' | 'reject'>): void {
    const { movement, answer, reject } = asked
    if (isOpening(movement) && (this.isClosed || this.waiting.length >= WAITING_MOVEMENTS_MAX)) {
      reject(new GatewayError('storage_failed', 'the books take no new holds at the moment'))
      return
    }
    this.unanswered += 1
    const waiting: Waiting = {
      movement,
      answer,
      reject,
      failures: 0,
      deadline: undefined,
      isGivenUp: false,
    }
    if (isOpening(movement)) waiting.deadline = this.deadlineOf(waiting)
    this.enqueue(waiting)
  }

  private deadlineOf(waiting: Waiting): Deadline {
    return setDeadline(this.openingMsMax, () => this.giveUp(waiting))
  }

  private enqueue(waiting: Waiting): void {
    this.waiting.push(waiting)
    if (this.isDraining) return
    this.isDraining = true
    void this.drain()
  }

  private async drain(): Promise<void> {
    for (await this.gather(); this.waiting.length > 0; await this.gather())
      await this.write(this.waiting.splice(0, BATCH_MOVEMENTS_MAX))
    this.isDraining = false
  }

  private gather(): Promise<void> {
    return gatherCompany(() => Math.min(this.waiting.length, BATCH_MOVEMENTS_MAX))
  }

  private async write(batch: readonly Waiting[]): Promise<void> {
    try {
      const refusals = await this.commit(batch.map(waiting => waiting.movement))
      this.hasFailed = false
      for (const waiting of batch) this.conclude(waiting, refusals.get(waiting.movement))
      for (const hold of this.owed.splice(0)) this.giveBack(hold)
    } catch (error) {
      this.hasFailed = true
      await this.writeApart(batch, error)
    }
  }

  /** A batch that fails is taken apart, so that one bad member cannot fail the others. Where nobody answers none is bad. */
  private async writeApart(batch: readonly Waiting[], cause: unknown): Promise<void> {
    const isNobodysFault = batch.length === 1 || isConnectionLost(cause)
    for (const waiting of batch)
      if (isNobodysFault) this.fail(waiting, cause)
      else await this.writeAlone(waiting, cause)
  }

  private async writeAlone(waiting: Waiting, cause: unknown): Promise<void> {
    if (waiting.isGivenUp) this.fail(waiting, cause)
    else await this.write([waiting])
  }

  /** The storage has fallen silent: what is not on its way is forgotten, the rest decided when it speaks again. */
  private giveUp(waiting: Waiting): void {
    const { movement } = waiting
    const cause = new Error(`no answer within ${this.openingMsMax} ms`)
    this.noteFailure({ request_id: movement.hold.requestId, movement: movement.kind, error: cause })
    waiting.isGivenUp = true
    waiting.reject(new GatewayError('storage_failed', REFUSED_BY_STORAGE, { cause }))
    const place = this.waiting.indexOf(waiting)
    if (place < 0) return
    this.waiting.splice(place, 1)
    this.countAnswered()
  }

  private conclude(waiting: Waiting, refusal: GatewayError | 'closed' | undefined): void {
    const { movement, deadline, isGivenUp, answer } = waiting
    deadline?.drop()
    if (isGivenUp && !refusal && movement.kind === 'reserve') this.giveBack(movement.hold)
    answer(refusal)
    this.countAnswered()
  }

  private fail(waiting: Waiting, cause: unknown): void {
    waiting.failures += 1
    const { movement, failures } = waiting
    if (isWorthAnother(waiting, cause)) {
      void sleepMs(FIRST_PAUSE_MS * 2 ** (failures - 1)).then(() => this.enqueue(waiting))
      return
    }
    waiting.deadline?.drop()
    this.noteFailure({ request_id: movement.hold.requestId, movement: movement.kind, error: cause })
    if (movement.kind === 'reserve') this.giveBack(movement.hold)
    else if (!isOpening(movement)) this.owe(movement.hold)
    waiting.reject(new GatewayError('storage_failed', REFUSED_BY_STORAGE, { cause }))
    this.countAnswered()
  }

  /** A hold that could not be closed, whose caller was told so, is given back as soon as a commit succeeds again. */
  private owe(hold: Hold): void {
    if (!hold.isOfTask && this.owed.length < OWED_HOLDS_MAX) this.owed.push(hold)
  }

  /** A commit whose answer was lost may have happened: the hold it may have left is given back, or owed if that fails. */
  private giveBack(hold: Hold): void {
    this.submit({ kind: 'release', hold }).catch(() => undefined)
  }

  private countAnswered(): void {
    this.unanswered -= 1
    if (this.unanswered === 0) this.whenEmpty()
  }
}

function isWorthAnother({ movement, failures, isGivenUp }: Waiting, cause: unknown): boolean {
  if (!isOpening(movement)) return failures < CLOSING_ATTEMPTS_MAX
  return !isGivenUp && isConnectionLost(cause) && failures < OPENING_ATTEMPTS_MAX
}
