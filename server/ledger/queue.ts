import { nextBatch, nextTurn } from '../core/async.ts'
import { elapsedMs, sleepMs } from '../core/clock.ts'
import { GatewayError } from '../core/errors.ts'
import { type Logger, throttledLog } from '../core/logger.ts'
import { Histogram } from '../core/telemetry/metrics.ts'
import { isServerLost } from '../db/engine/query-errors.ts'
import { isOpenCommand, type OpenResults } from './apply-opens.ts'
import type { BudgetBook } from './budgets.ts'
import type {
  Hold,
  HoldRequest,
  LedgerCommand,
  PayingSubscription,
  RequestedUse,
  SubscriptionOffer,
} from './ledger-command.ts'

type Rejection = GatewayError | 'closed'

/** The subscriptions that may cover a request, in the order in which they are used. */
export type SubscriptionFinder = (
  request: HoldRequest,
  use: RequestedUse,
) => Promise<readonly SubscriptionOffer[]>

interface QueueOptions {
  /** Writes all commands or, when it throws, none. */
  readonly commit: (commands: readonly LedgerCommand[]) => Promise<OpenResults>
  readonly log: Logger
  /** After this time a command that opens a hold fails. */
  readonly openMsMax?: number
}

export interface LedgerStats {
  readonly commitSeconds: Histogram
  readonly batchSizes: Histogram
  readonly waiting: number
}

interface PendingCommand {
  readonly command: LedgerCommand
  readonly resolve: (rejection: Rejection | undefined, isShort: boolean) => void
  readonly reject: (error: GatewayError) => void
  failures: number
  /** Only for commands that open a hold. */
  deadline: NodeJS.Timeout | undefined
  /** The caller has seen a failure: a hold that is committed after all must be released. */
  isExpired: boolean
}

const BATCH_COMMANDS_MAX = 512
/**
 * A reserved request calls its provider at once. If a whole batch did so in one turn, its first responses would wait until the last
 * request is sent, and its streams would go on in step.
 */
const RESERVED_PER_TURN = 8
const COMMIT_SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, BATCH_COMMANDS_MAX]
const OPEN_MS_MAX = 6_000
const STORAGE_FAILED = {
  zh: '网关的存储暂时无法写入，本次请求未计费',
  en: "the gateway's storage accepts no writes at the moment; nothing was charged",
}
/** New holds are rejected beyond this; commands that close a hold are always accepted. */
const PENDING_COMMANDS_MAX = 50_000
/** Holds that are kept until the storage works again. The next start of the gateway releases any beyond this. */
const UNCLOSED_HOLDS_MAX = 50_000
/** With pauses of 50, 100, 200 … ms between the attempts: a short disturbance must not lose money. */
const CLOSE_ATTEMPTS_MAX = 6
/** A command that opens a hold is retried after a lost connection, until its deadline. */
const OPEN_ATTEMPTS_MAX = 2
const FIRST_PAUSE_MS = 50

/**
 * Natural batching: commands that arrive while the previous batch is being committed, or in consecutive turns of the event
 * loop, share one transaction. A single request waits for one small commit; under load hundreds of requests share one.
 */
export class LedgerQueue {
  private readonly commit: QueueOptions['commit']
  private readonly openMsMax: number
  private readonly logFailure: ReturnType<typeof throttledLog>
  private readonly commitSeconds = new Histogram(COMMIT_SECONDS_BUCKETS)
  private readonly batchSizes = new Histogram(BATCH_BUCKETS)
  private pending: PendingCommand[] = []
  /** Holds that could not be closed, to be released after the next successful commit. */
  private unclosed: Hold[] = []
  private unresolvedCount = 0
  private hasLastCommitFailed = false
  private isDraining = false
  private isClosed = false
  private book: BudgetBook | undefined
  private findSubscriptions: SubscriptionFinder | undefined
  private whenEmpty: () => void = () => undefined

  constructor({ commit, log, openMsMax = OPEN_MS_MAX }: QueueOptions) {
    this.commit = commit
    this.openMsMax = openMsMax
    this.logFailure = throttledLog(log, 'the ledger could not be written')
  }

  /** Resolves to the hold after its commit. Rejects with the reason, or with storage_failed. */
  async reserve(request: HoldRequest): Promise<Hold> {
    const { use } = request
    const offers = use && this.findSubscriptions ? await this.findSubscriptions(request, use) : []
    let rejection: GatewayError | undefined
    for (const { reject, ...payer } of offers)
      try {
        return await this.reserveFrom(withSubscription(request, payer))
      } catch (error) {
        rejection ??= reject(toExcess(error, payer))
      }
    if (rejection) throw rejection
    return this.reserveFrom(request)
  }

  private async reserveFrom(request: HoldRequest): Promise<Hold> {
    const { use } = request
    const budgets = use && (await this.book?.find(request, use))
    const hold = budgets ? { ...request, budgets } : request
    return new Promise((resolve, reject) =>
      this.accept({
        command: { kind: 'reserve', hold },
        resolve(rejection, isShort) {
          if (rejection instanceof Error) reject(rejection)
          else resolve(isShort ? { ...hold, isShort } : hold)
        },
        reject,
      }),
    )
  }

  /** Resolves after the commit: to undefined, or to the reason why the command changed nothing. Rejects with storage_failed. */
  submit(command: LedgerCommand): Promise<Rejection | undefined> {
    return new Promise((resolve, reject) => this.accept({ command, resolve, reject }))
  }

  boundBy(book: BudgetBook): void {
    this.book = book
  }

  paidBy(finder: SubscriptionFinder): void {
    this.findSubscriptions = finder
  }

  /** Whether the last commit failed. */
  isFailing(): boolean {
    return this.hasLastCommitFailed
  }

  /** Commits that succeeded, their commands, and the commands that wait for the next. */
  stats(): LedgerStats {
    return { commitSeconds: this.commitSeconds, batchSizes: this.batchSizes, waiting: this.pending.length }
  }

  /** Rejects new holds from now on and resolves when every accepted command is resolved. */
  close(): Promise<void> {
    this.isClosed = true
    if (this.unresolvedCount === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.whenEmpty = resolve
    })
  }

  private accept({ command, resolve, reject }: Pick<PendingCommand, 'command' | 'resolve' | 'reject'>): void {
    if (isOpenCommand(command) && (this.isClosed || this.pending.length >= PENDING_COMMANDS_MAX)) {
      reject(
        new GatewayError('storage_failed', {
          zh: '账务系统暂时无法受理新的请求',
          en: 'the ledger is not accepting new requests at the moment',
        }),
      )
      return
    }
    this.unresolvedCount += 1
    const entry: PendingCommand = {
      command,
      resolve,
      reject,
      failures: 0,
      deadline: undefined,
      isExpired: false,
    }
    if (isOpenCommand(command)) entry.deadline = this.startDeadline(entry)
    this.enqueue(entry)
  }

  private startDeadline(entry: PendingCommand): NodeJS.Timeout {
    return setTimeout(() => this.expire(entry), this.openMsMax)
  }

  private enqueue(entry: PendingCommand): void {
    this.pending.push(entry)
    if (this.isDraining) return
    this.isDraining = true
    void this.drain()
  }

  private async drain(): Promise<void> {
    for (await this.nextBatch(); this.pending.length > 0; await this.nextBatch())
      await this.write(this.pending.splice(0, BATCH_COMMANDS_MAX))
    this.isDraining = false
  }

  private nextBatch(): Promise<void> {
    return nextBatch(() => Math.min(this.pending.length, BATCH_COMMANDS_MAX))
  }

  private async write(batch: readonly PendingCommand[]): Promise<void> {
    const startedMs = elapsedMs()
    try {
      const { rejections, short } = await this.commit(batch.map(({ command }) => command))
      this.hasLastCommitFailed = false
      this.commitSeconds.observe((elapsedMs() - startedMs) / 1000)
      this.batchSizes.observe(batch.length)
      let reserved = 0
      for (const entry of batch) {
        this.complete(entry, rejections.get(entry.command), short.has(entry.command))
        if (entry.command.kind === 'reserve' && ++reserved % RESERVED_PER_TURN === 0) await nextTurn()
      }
      for (const hold of this.unclosed.splice(0)) this.releaseInBackground(hold)
    } catch (error) {
      this.hasLastCommitFailed = true
      await this.writeIndividually(batch, error)
    }
  }

  /**
   * Splits a failed batch, so that one bad command cannot fail the others. After a lost server no command is to blame,
   * so all of them fail without another attempt here.
   */
  private async writeIndividually(batch: readonly PendingCommand[], cause: unknown): Promise<void> {
    const isIndivisible = batch.length === 1 || isServerLost(cause)
    for (const entry of batch)
      if (isIndivisible || entry.isExpired) this.fail(entry, cause)
      else await this.write([entry])
  }

  /** The deadline of a command has passed. One that waits is dropped; one that is being written is decided by its commit. */
  private expire(entry: PendingCommand): void {
    const { command } = entry
    const cause = new Error(`no response within ${this.openMsMax} ms`)
    this.logFailure({ request_id: command.hold.requestId, movement: command.kind, error: cause })
    entry.isExpired = true
    entry.reject(new GatewayError('storage_failed', STORAGE_FAILED, { cause }))
    const index = this.pending.indexOf(entry)
    if (index < 0) return
    this.pending.splice(index, 1)
    this.countResolved()
  }

  private complete(entry: PendingCommand, rejection: Rejection | undefined, isShort: boolean): void {
    const { command, deadline, isExpired, resolve } = entry
    clearTimeout(deadline)
    if (isExpired && !rejection && command.kind === 'reserve') this.releaseInBackground(command.hold)
    resolve(rejection, isShort)
    this.countResolved()
  }

  private fail(entry: PendingCommand, cause: unknown): void {
    entry.failures += 1
    const { command, failures } = entry
    if (isRetryable(entry, cause)) {
      void sleepMs(FIRST_PAUSE_MS * 2 ** (failures - 1)).then(() => this.enqueue(entry))
      return
    }
    clearTimeout(entry.deadline)
    this.logFailure({ request_id: command.hold.requestId, movement: command.kind, error: cause })
    // The commit may have happened although its response was lost.
    if (command.kind === 'reserve') this.releaseInBackground(command.hold)
    else if (!isOpenCommand(command)) this.keepUnclosed(command.hold)
    entry.reject(new GatewayError('storage_failed', STORAGE_FAILED, { cause }))
    this.countResolved()
  }

  /** The caller has seen a failure and will not retry, except for tasks: the queue releases the hold itself. */
  private keepUnclosed(hold: Hold): void {
    if (!hold.belongsToTask && this.unclosed.length < UNCLOSED_HOLDS_MAX) this.unclosed.push(hold)
  }

  /** A release that fails puts the hold among the unclosed ones. */
  private releaseInBackground(hold: Hold): void {
    this.submit({ kind: 'release', hold }).catch(() => undefined)
  }

  private countResolved(): void {
    this.unresolvedCount -= 1
    if (this.unresolvedCount === 0) this.whenEmpty()
  }
}

const SUBSCRIPTION = 'subscription'

/** The budgets of the subscription apply beside those of user and token. */
const withSubscription = ({ use, ...request }: HoldRequest, paidBy: PayingSubscription): HoldRequest => {
  const subject = { kind: SUBSCRIPTION, id: paidBy.subscriptionId }
  return { ...request, paidBy, ...(use && { use: { ...use, subjects: [...use.subjects, subject] } }) }
}

/** Rethrows all but the rejection of the subscription's own budgets: any other one holds whoever pays. */
function toExcess(error: unknown, { subscriptionId }: PayingSubscription): GatewayError {
  if (error instanceof GatewayError && error.budgetOf?.kind === SUBSCRIPTION)
    if (error.budgetOf.id === subscriptionId) return error
  throw error
}

function isRetryable({ command, failures, isExpired }: PendingCommand, cause: unknown): boolean {
  if (!isOpenCommand(command)) return failures < CLOSE_ATTEMPTS_MAX
  return !isExpired && isServerLost(cause) && failures < OPEN_ATTEMPTS_MAX
}
