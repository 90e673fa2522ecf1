import { LOG_TYPE } from '#contract/enums.ts'
import { elapsedMs, nowSeconds, sleepMs } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { AmountFormat } from '../core/money.ts'
import { noteStep } from '../core/telemetry/stall-watch.ts'
import {
  lockChannels,
  lockUsers,
  updateChannelBalances,
  updateTokenBalances,
  updateUserBalances,
} from '../db/billing/balances.ts'
import { addToChargeHours } from '../db/billing/charge-hours.ts'
import { closeHolds, type HoldRow } from '../db/billing/holds.ts'
import { findClosings, insertHoldPostings } from '../db/billing/postings.ts'
import { type Connection, type Database, inRawTransaction } from '../db/engine/database.ts'
import { insertRequestLogs, insertUnloggedRequests } from '../db/logs/log-writes.ts'
import type { Engine } from '../db/migrations/migration.ts'
import { addToUsageHours } from '../db/usage/usage-hours.ts'
import { applyOpens, isOpenCommand, type OpenResults, toLostRow } from './apply-opens.ts'
import type { BudgetBook } from './budgets.ts'
import { LedgerBatch } from './ledger-batch.ts'
import type { Bill, CloseCommand, FailedRequestLog, FailureReceipt, LedgerCommand } from './ledger-command.ts'

export interface LedgerDeps {
  readonly db: Database
  readonly engine: Engine
  readonly log: Logger
  readonly processId: string
  readonly options: () => LedgerOptions
}

export interface CommitDeps extends LedgerDeps {
  readonly closeListeners: readonly CloseListener[]
  /** Empty until a feature counts budgets. */
  readonly budgets: { readonly book?: BudgetBook }
}

export interface LedgerOptions extends AmountFormat {
  readonly LogConsumeEnabled: boolean
}

/** Is told of holds that were settled or released, after the commit. It must not throw. */
export type CloseListener = (commands: readonly CloseCommand[]) => void

/**
 * Writes commands in one transaction: all of them or, when it throws, none. Holds are closed before others are opened,
 * so that returned money can be reserved again at once.
 *
 * On PostgreSQL the processes that charge one wallet wait for each other from its lock to the commit. So all that no other
 * process waits for, the largest part, is written before the lock. Two processes that close the same holds wait for each
 * other at the rows of the holds.
 */
export async function commit(deps: CommitDeps, commands: readonly LedgerCommand[]): Promise<OpenResults> {
  const { results, alerts } = await inRawTransaction(deps, async connection => {
    const startedMs = elapsedMs()
    const written = await writeCommands(connection, deps, commands)
    // On PostgreSQL the main thread does not wait for it, and on neither engine for the connection.
    if (deps.engine === 'sqlite') noteStep('ledger commit', startedMs)
    return written
  })
  logAlerts(deps.log, alerts)
  const closed = commands.filter(command => !isOpenCommand(command))
  if (closed.length > 0) for (const listener of deps.closeListeners) listener(closed)
  return results
}

async function writeCommands(connection: Connection, deps: CommitDeps, commands: readonly LedgerCommand[]) {
  const batch = new LedgerBatch(nowSeconds())
  const lockWallets = async (): Promise<void> => {
    if (deps.engine === 'postgres') await lockUsers(connection, listUserIds(commands))
  }
  const alerts = await applyCloses(connection, batch, {
    commands: commands.filter(command => !isOpenCommand(command)),
    isConsumptionLogged: deps.options().LogConsumeEnabled,
    lockWallets,
  })
  await insertHoldPostings(connection, batch.takePostings())
  await insertRequestLogs(connection, deps.engine, batch.logs)
  await insertUnloggedRequests(connection, batch.unlogged)
  await lockWallets()
  await updateUserBalances(connection, batch.userDeltas())
  await updateTokenBalances(connection, batch.tokenDeltas())
  if (deps.engine === 'postgres') await deps.budgets.book?.lock(connection, listBudgetIds(batch, commands))
  const results = await applyOpens(connection, batch, {
    commands: commands.filter(isOpenCommand),
    processId: deps.processId,
    amountFormat: deps.options(),
    book: deps.budgets.book,
  })
  if (batch.budgets.size > 0)
    await deps.budgets.book?.write(connection, [...batch.budgets.values()], batch.budgetUses)
  await insertHoldPostings(connection, batch.takePostings())
  await addToChargeHours(connection, batch.chargeHourRows())
  await addToUsageHours(connection, batch.hourRows())
  const channels = batch.channelDeltas()
  if (deps.engine === 'postgres')
    await lockChannels(
      connection,
      channels.map(({ channelId }) => channelId),
    )
  await updateChannelBalances(connection, channels)
  return { results, alerts }
}

/** The budgets that the transaction counts, in the order in which all processes lock them. */
const listBudgetIds = (batch: LedgerBatch, commands: readonly LedgerCommand[]): number[] => {
  const shares = [...batch.budgets.values(), ...commands.flatMap(({ hold }) => hold.budgets ?? [])]
  return [...new Set(shares.map(({ budgetId }) => budgetId))].sort((a, b) => a - b)
}

const listUserIds = (commands: readonly LedgerCommand[]): number[] =>
  [...new Set(commands.map(({ hold }) => hold.userId))].sort((a, b) => a - b)

/** Conditions that an operator should see. */
interface CloseAlerts {
  /** Charges that exceed their hold. */
  readonly overruns: readonly Overrun[]
  /** Ids of settled requests that were charged before: a repeat. */
  readonly repeated: readonly string[]
  /** Ids of settled requests that were charged without their hold, since it was gone. */
  readonly vanished: readonly string[]
}

interface Overrun {
  readonly requestId: string
  readonly held: number
  readonly charged: number
}

function logAlerts(log: Logger, { overruns, repeated, vanished }: CloseAlerts): void {
  for (const { requestId, held, charged } of overruns)
    log.warn('a request cost more than was reserved for it', { request_id: requestId, held, charged })
  for (const requestId of repeated)
    log.warn('a settlement found its request charged and charged nothing', { request_id: requestId })
  for (const requestId of vanished)
    log.warn('a settlement found its hold gone and charged the wallet', { request_id: requestId })
}

interface CloseInput {
  readonly commands: readonly CloseCommand[]
  readonly isConsumptionLogged: boolean
  readonly lockWallets: () => Promise<void>
}

/**
 * Settles and releases: closes the rows that were still open. A settlement whose row is gone is a repeat when its request was
 * charged; otherwise the row was lost in a failover of the database, or another process considered this one dead, and the
 * wallet pays without it. A failure whose row is gone is logged unless its request was closed. Changes no balance yet.
 */
async function applyCloses(
  connection: Connection,
  batch: LedgerBatch,
  { commands, isConsumptionLogged, lockWallets }: CloseInput,
): Promise<CloseAlerts> {
  const pending = firstClosePerRequest(commands)
  // Sorted, so that two processes that close the same holds lock them in the same order.
  const rows = await closeHolds(connection, [...pending.keys()].sort())
  const overruns: Overrun[] = []
  for (const row of rows) {
    const command = pending.get(row.request_id)
    if (command?.kind === 'settle') {
      applySettlement(batch, row, command.bill, isConsumptionLogged)
      if (command.bill.amount > row.amount)
        overruns.push({ requestId: row.request_id, held: row.amount, charged: command.bill.amount })
    } else applyRelease(batch, row, command?.failure)
    pending.delete(row.request_id)
  }
  const rowless = [...pending.values()].filter(command => command.kind === 'settle' || command.failure)
  if (rowless.length === 0) return { overruns, repeated: [], vanished: [] }
  // Without the row of a hold, only the wallet keeps two processes from closing one request.
  await lockWallets()
  return { overruns, ...(await closeWithoutRow(connection, batch, rowless, isConsumptionLogged)) }
}

async function closeWithoutRow(
  connection: Connection,
  batch: LedgerBatch,
  commands: readonly CloseCommand[],
  isConsumptionLogged: boolean,
): Promise<Omit<CloseAlerts, 'overruns'>> {
  const closings = await findClosings(
    connection,
    commands.map(({ hold }) => hold.requestId),
  )
  const closed = new Set(closings.map(({ request_id }) => request_id))
  const charged = new Set(
    closings.filter(({ kind }) => kind === 'charge').map(({ request_id }) => request_id),
  )
  const isCharged = ({ hold }: CloseCommand): boolean => charged.has(hold.requestId)
  const settlements = commands.filter(command => command.kind === 'settle')
  const vanished = settlements.filter(command => !isCharged(command))
  for (const { hold, bill } of vanished) applySettlement(batch, toLostRow(hold), bill, isConsumptionLogged)
  for (const command of commands)
    if (command.kind === 'release' && !closed.has(command.hold.requestId))
      applyRelease(batch, toLostRow(command.hold), command.failure)
  const toId = ({ hold }: CloseCommand): string => hold.requestId
  return { repeated: settlements.filter(isCharged).map(toId), vanished: vanished.map(toId) }
}

/** Of several commands that close the same hold in one batch, the first counts. */
function firstClosePerRequest(commands: readonly CloseCommand[]): Map<string, CloseCommand> {
  const closes = new Map<string, CloseCommand>()
  for (const command of commands)
    if (!closes.has(command.hold.requestId)) closes.set(command.hold.requestId, command)
  return closes
}

function applySettlement(batch: LedgerBatch, hold: HoldRow, bill: Bill, isRowLogged: boolean): void {
  const { amount, entry, receipt } = bill
  const isPaidByPlan = hold.paid_by !== null
  const rest = isPaidByPlan ? 0 : hold.amount - amount
  if (rest < 0) batch.post(hold, 'overrun', -rest)
  batch.post(hold, 'charge', amount, entry.channelId)
  if (!isPaidByPlan) batch.addCharge(hold, amount)
  if (rest > 0) batch.post(hold, 'rest', rest)
  batch.addToUser({
    userId: hold.user_id,
    quota: rest,
    held: isPaidByPlan ? 0 : -hold.amount,
    used: amount,
    requests: 1,
  })
  if (hold.token_id !== null)
    batch.addToToken({
      tokenId: hold.token_id,
      remain: hold.is_token_limited ? rest : 0,
      used: amount,
      usedAt: batch.nowSeconds,
    })
  batch.addToChannel({ channelId: entry.channelId, used: amount })
  batch.closeShares(hold, bill)
  batch.log(hold, { type: LOG_TYPE.consumption, amount, entry, receipt, error: '', isRowLogged })
}

function applyRelease(batch: LedgerBatch, hold: HoldRow, failure: FailedRequestLog | undefined): void {
  const amount = hold.paid_by === null ? hold.amount : 0
  batch.closeShares(hold)
  // A failure that is logged leaves a posting whatever it held, so that a repeat finds it.
  if (amount > 0 || failure) batch.post(hold, 'release', amount)
  if (amount > 0) {
    batch.addToUser({ userId: hold.user_id, quota: amount, held: -amount, used: 0, requests: 0 })
    if (hold.token_id !== null && hold.is_token_limited)
      batch.addToToken({ tokenId: hold.token_id, remain: amount, used: 0, usedAt: 0 })
  }
  if (failure) {
    const { isRowLogged = true, ...logged } = failure
    const error = toLoggedError(failure.receipt)
    batch.log(hold, { type: LOG_TYPE.failure, amount: 0, ...logged, error, isRowLogged })
  }
}

/** Providers choose the codes, and the column is indexed. */
const ERROR_CHARS_MAX = 100

const toLoggedError = ({ status, code }: FailureReceipt): string =>
  code === undefined ? '' : `${status ?? 0} ${code}`.slice(0, ERROR_CHARS_MAX)

/**
 * SQLSTATEs of a transaction that conflicted with another one and only needs another attempt: serialization failure and
 * deadlock (postgresql.org/docs/current/errcodes-appendix.html). For a locked SQLite file the driver has waited already.
 */
const RETRYABLE_SQLSTATES = new Set(['40001', '40P01'])
const ATTEMPTS_MAX = 8
const PAUSE_MS_MAX = 40

/** Repeats a transaction that conflicted with another one, after a short random pause. Rethrows all other errors. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isTransactionConflict(error)) throw error
      await sleepMs(Math.random() * PAUSE_MS_MAX)
    }
  }
}

const isTransactionConflict = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  RETRYABLE_SQLSTATES.has(error.code)
