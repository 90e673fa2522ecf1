import { nextBatch } from '../core/async.ts'
import { sleepMs } from '../core/clock.ts'
import { GatewayError } from '../core/errors.ts'
import { type Logger, throttledLog } from '../core/logger.ts'
import { startTimer, type Timer } from '../core/timers.ts'
import type { Rejections } from './apply-opens.ts'
import { type Hold, isOpenCommand, type LedgerCommand } from './ledger-command.ts'

interface QueueOptions {
  /** Writes all of them or, when it throws, none. */
  readonly commit: (movements: readonly LedgerCommand[]) => Promise<Rejections>
  readonly log: Logger
  /** How long an opening is waited for. Absent: as long as callers are looked up. */
  readonly openMsMax?: number
}

interface PendingCommand {
  readonly command: LedgerCommand
  readonly resolve: (refusal: GatewayError | 'closed' | undefined) => void
  readonly reject: (error: GatewayError) => void
  failures: number
  /** Until when an opening is waited for. */
  deadline: Timer | undefined
  /** Its caller was told that it failed: should it get in after all, it is taken back. */
  isExpired: boolean
}

const BATCH_COMMANDS_MAX = 512
const OPEN_MS_MAX = 6_000
const STORAGE_FAILED_MESSAGE = 'the gateway’s storage takes no writes at the moment; nothing was charged'
/** New holds are refused beyond this; what closes a hold is always taken. */
const PENDING_COMMANDS_MAX = 50_000
/** Holds that wait for the storage to work again. What is beyond it the next start gives back. */
const UNCLOSED_HOLDS_MAX = 50_000
/** A closing is tried this often, with pauses of 50, 100, 200 … ms: money must not be lost to a short disturbance. */
const CLOSE_ATTEMPTS_MAX = 6
/** An opening is tried again where it met a connection that was gone, as long as it is waited for. */
const OPEN_ATTEMPTS_MAX = 2
const FIRST_PAUSE_MS = 50

/**
 * Natural batching: what arrives while the former batch is being committed, or until a turn of the event loop brings
 * nothing more, shares one transaction. Alone a request waits for one small commit; under load hundreds share one.
 */
export class LedgerQueue {
  private readonly commit: QueueOptions['commit']
  private readonly openMsMax: number
  private readonly noteFailure: ReturnType<typeof throttledLog>
  private waiting: PendingCommand[] = []
  private unclosed: Hold[] = []
  private unsettledCount = 0
  private hasLastCommitFailed = false
  private isDraining = false
  private isClosed = false
  private whenEmpty: () => void = () => undefined

  constructor({ commit, log, openMsMax = OPEN_MS_MAX }: QueueOptions) {
    this.commit = commit
    this.openMsMax = openMsMax
    this.noteFailure = throttledLog(log, 'the books could not be written')
  }

  /** Resolves to the hold after its commit. Rejects with why it was refused, or with storage_failed. */
  reserve(hold: Hold): Promise<Hold> {
    return new Promise((resolve, reject) =>
      this.accept({
        command: { kind: 'reserve', hold },
        resolve: refusal => (refusal instanceof Error ? reject(refusal) : resolve(hold)),
        reject,
      }),
    )
  }

  /** Resolves after the commit: undefined when it was done, else why not. Rejects with storage_failed. */
  submit(command: LedgerCommand): Promise<GatewayError | 'closed' | undefined> {
    return new Promise((resolve, reject) => this.accept({ command, resolve, reject }))
  }

  /** Whether the last commit could not be made. */
  isFailing(): boolean {
    return this.hasLastCommitFailed
  }

  /** Refuses new holds and resolves when everything taken has been answered. */
  close(): Promise<void> {
    this.isClosed = true
    if (this.unsettledCount === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.whenEmpty = resolve
    })
  }

  private accept(asked: Pick<PendingCommand, 'command' | 'resolve' | 'reject'>): void {
    const { command, resolve, reject } = asked
    if (isOpenCommand(command) && (this.isClosed || this.waiting.length >= PENDING_COMMANDS_MAX)) {
      reject(new GatewayError('storage_failed', 'the books take no new holds at the moment'))
      return
    }
    this.unsettledCount += 1
    const waiting: PendingCommand = {
      command,
      resolve,
      reject,
      failures: 0,
      deadline: undefined,
      isExpired: false,
    }
    if (isOpenCommand(command)) waiting.deadline = this.startDeadline(waiting)
    this.enqueue(waiting)
  }

  private startDeadline(waiting: PendingCommand): Timer {
    return startTimer(this.openMsMax, () => this.expire(waiting))
  }

  private enqueue(waiting: PendingCommand): void {
    this.waiting.push(waiting)
    if (this.isDraining) return
    this.isDraining = true
    void this.drain()
  }

  private async drain(): Promise<void> {
    for (await this.nextBatch(); this.waiting.length > 0; await this.nextBatch())
      await this.write(this.waiting.splice(0, BATCH_COMMANDS_MAX))
    this.isDraining = false
  }

  private nextBatch(): Promise<void> {
    return nextBatch(() => Math.min(this.waiting.length, BATCH_COMMANDS_MAX))
  }

  private async write(batch: readonly PendingCommand[]): Promise<void> {
    try {
      const refusals = await this.commit(batch.map(waiting => waiting.command))
      this.hasLastCommitFailed = false
      for (const waiting of batch) this.complete(waiting, refusals.get(waiting.command))
      for (const hold of this.unclosed.splice(0)) this.releaseInBackground(hold)
    } catch (error) {
      this.hasLastCommitFailed = true
      await this.writeIndividually(batch, error)
    }
  }

  /** A batch that fails is taken apart, so that one bad member cannot fail the others. Where nobody answers none is bad. */
  private async writeIndividually(batch: readonly PendingCommand[], cause: unknown): Promise<void> {
    const isNobodysFault = batch.length === 1 || isConnectionLost(cause)
    for (const waiting of batch)
      if (isNobodysFault) this.fail(waiting, cause)
      else await this.writeOne(waiting, cause)
  }

  private async writeOne(waiting: PendingCommand, cause: unknown): Promise<void> {
    if (waiting.isExpired) this.fail(waiting, cause)
    else await this.write([waiting])
  }

  /** The storage has fallen silent: what is not on its way is forgotten, the rest decided when it speaks again. */
  private expire(waiting: PendingCommand): void {
    const { command } = waiting
    const cause = new Error(`no answer within ${this.openMsMax} ms`)
    this.noteFailure({ request_id: command.hold.requestId, movement: command.kind, error: cause })
    waiting.isExpired = true
    waiting.reject(new GatewayError('storage_failed', STORAGE_FAILED_MESSAGE, { cause }))
    const place = this.waiting.indexOf(waiting)
    if (place < 0) return
    this.waiting.splice(place, 1)
    this.countSettled()
  }

  private complete(waiting: PendingCommand, refusal: GatewayError | 'closed' | undefined): void {
    const { command, deadline, isExpired, resolve } = waiting
    deadline?.cancel()
    if (isExpired && !refusal && command.kind === 'reserve') this.releaseInBackground(command.hold)
    resolve(refusal)
    this.countSettled()
  }

  private fail(waiting: PendingCommand, cause: unknown): void {
    waiting.failures += 1
    const { command, failures } = waiting
    if (isRetryable(waiting, cause)) {
      void sleepMs(FIRST_PAUSE_MS * 2 ** (failures - 1)).then(() => this.enqueue(waiting))
      return
    }
    waiting.deadline?.cancel()
    this.noteFailure({ request_id: command.hold.requestId, movement: command.kind, error: cause })
    if (command.kind === 'reserve') this.releaseInBackground(command.hold)
    else if (!isOpenCommand(command)) this.keepUnclosed(command.hold)
    waiting.reject(new GatewayError('storage_failed', STORAGE_FAILED_MESSAGE, { cause }))
    this.countSettled()
  }

  /** A hold that could not be closed, whose caller was told so, is given back as soon as a commit succeeds again. */
  private keepUnclosed(hold: Hold): void {
    if (!hold.belongsToTask && this.unclosed.length < UNCLOSED_HOLDS_MAX) this.unclosed.push(hold)
  }

  /** A commit whose answer was lost may have happened: the hold it may have left is given back, or owed if that fails. */
  private releaseInBackground(hold: Hold): void {
    this.submit({ kind: 'release', hold }).catch(() => undefined)
  }

  private countSettled(): void {
    this.unsettledCount -= 1
    if (this.unsettledCount === 0) this.whenEmpty()
  }
}

function isRetryable({ command, failures, isExpired }: PendingCommand, cause: unknown): boolean {
  if (!isOpenCommand(command)) return failures < CLOSE_ATTEMPTS_MAX
  return !isExpired && isConnectionLost(cause) && failures < OPEN_ATTEMPTS_MAX
}

const CONNECTION_LOST = /^ERR_POSTGRES_CONNECTION_/

/** Whether nobody is there to say anything of what was asked: it is no fault of that, and may have been done. */
const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CONNECTION_LOST.test(String(error.code))
