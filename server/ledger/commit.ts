import { nowSeconds } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import {
  lockChannels,
  lockUsers,
  updateChannelBalances,
  updateTokenBalances,
  updateUserBalances,
} from '../db/billing/balances.ts'
import { closeHolds, type HoldRow } from '../db/billing/holds.ts'
import { insertHoldPostings, insertSettlements, SINGLE_MOVES } from '../db/billing/postings.ts'
import { type Connection, type Database, inRawTransaction } from '../db/engine/database.ts'
import { CONSUMPTION, FAILED_REQUEST, insertRequestLogs } from '../db/logs/log-writes.ts'
import type { Engine } from '../db/migrations/migration.ts'
import { addToUsageHours } from '../db/usage/usage-hours.ts'
import { applyOpens, type Rejections } from './apply-opens.ts'
import { LedgerBatch } from './ledger-batch.ts'
import type { Bill, FailedRequest, LedgerCommand, ReleaseCommand, SettleCommand } from './ledger-command.ts'

export interface LedgerDeps {
  readonly db: Database
  readonly engine: Engine
  readonly log: Logger
  readonly processId: string
  readonly isConsumptionLogged: () => boolean
  /** Told whose wallets were charged, after it is durable. */
  readonly onCharged?: (userIds: readonly number[]) => void
}

/**
 * Writes movements in one transaction: all of them, or, when it throws, none. Holds are closed before others are
 * opened, so that money given back can be reserved again at once.
 */
export async function commit(books: LedgerDeps, movements: readonly LedgerCommand[]): Promise<Rejections> {
  const { rejections, closed } = await inRawTransaction(books, session => write(session, books, movements))
  warnOperators(books.log, closed)
  books.onCharged?.(userIdsOf(movements.filter(({ kind }) => kind === 'settle')))
  return rejections
}

async function write(session: Connection, books: LedgerDeps, movements: readonly LedgerCommand[]) {
  const now = nowSeconds()
  const entries = new LedgerBatch(now)
  if (books.engine === 'postgres') await lockUsers(session, userIdsOf(movements))
  const closed = await applyCloses(session, {
    movements,
    entries,
    isConsumptionLogged: books.isConsumptionLogged(),
  })
  const rejections = await applyOpens(session, {
    movements,
    entries,
    processId: books.processId,
    nowSeconds: now,
  })
  for (const move of SINGLE_MOVES) await insertHoldPostings[move](session, entries.postings[move], [now])
  await insertSettlements(session, entries.settlements, [now])
  await insertRequestLogs(session, books.engine, entries.logs)
  await addToUsageHours(session, entries.hourRows())
  const channels = entries.channelDeltas()
  if (books.engine === 'postgres')
    await lockChannels(
      session,
      channels.map(move => move.channelId),
    )
  await updateChannelBalances(session, channels)
  return { rejections, closed }
}

const userIdsOf = (movements: readonly LedgerCommand[]): number[] =>
  [...new Set(movements.map(movement => movement.hold.userId))].sort((a, b) => a - b)

function warnOperators(log: Logger, { overruns, unsettled }: ClosingAlerts): void {
  for (const { requestId, held, charged } of overruns)
    log.warn('an answer cost more than was reserved for it', { request_id: requestId, held, charged })
  for (const requestId of unsettled)
    log.warn('a settlement found its hold closed and charged nothing', { request_id: requestId })
}

interface CloseInput {
  readonly movements: readonly LedgerCommand[]
  readonly entries: LedgerBatch
  readonly isConsumptionLogged: boolean
}

/** A charge dearer than what was reserved for it. */
export interface Overrun {
  readonly requestId: string
  readonly held: number
  readonly charged: number
}

/** What a closing brought to light that an operator must see. */
export interface ClosingAlerts {
  /** Charges dearer than what was reserved for them. */
  readonly overruns: readonly {
    readonly requestId: string
    readonly held: number
    readonly charged: number
  }[]
  /** Settlements that found their hold closed: a repeat, or another process took this one for dead. */
  readonly unsettled: readonly string[]
}

/** Settles and releases: closes the rows first, and enters only what was open until now. */
export async function applyCloses(
  session: Connection,
  { movements, entries, isConsumptionLogged }: CloseInput,
): Promise<ClosingAlerts> {
  const closings = firstClosePerRequest(movements)
  const rows = await closeHolds(session, [...closings.keys()])
  const overruns: Overrun[] = []
  for (const row of rows) {
    const closing = closings.get(row.request_id)
    if (closing?.kind === 'settle') {
      applySettlement(entries, row, closing.bill, isConsumptionLogged)
      if (closing.bill.amount > row.amount)
        overruns.push({ requestId: row.request_id, held: row.amount, charged: closing.bill.amount })
    } else applyRelease(entries, row, closing?.failure)
    closings.delete(row.request_id)
  }
  await updateUserBalances(session, entries.userDeltas())
  await updateTokenBalances(session, entries.tokenDeltas())
  const unsettled = [...closings.values()].filter(closing => closing.kind === 'settle')
  return { overruns, unsettled: unsettled.map(closing => closing.hold.requestId) }
}

/** Of several closings of one hold in one batch the first counts. */
function firstClosePerRequest(
  movements: readonly LedgerCommand[],
): Map<string, SettleCommand | ReleaseCommand> {
  const closings = new Map<string, SettleCommand | ReleaseCommand>()
  for (const movement of movements) {
    if (movement.kind !== 'settle' && movement.kind !== 'release') continue
    if (!closings.has(movement.hold.requestId)) closings.set(movement.hold.requestId, movement)
  }
  return closings
}

function applySettlement(entries: LedgerBatch, hold: HoldRow, bill: Bill, isLogged: boolean): void {
  const { amount, entry, receipt } = bill
  const rest = hold.amount - amount
  if (rest < 0) entries.post(hold, 'overrun', -rest)
  if (rest > 0) entries.postSettlement(hold, amount, entry.channelId)
  else entries.post(hold, 'charge', amount, entry.channelId)
  entries.addToUser({ userId: hold.user_id, quota: rest, held: -hold.amount, used: amount, requests: 1 })
  if (hold.token_id !== null)
    entries.addToToken({
      tokenId: hold.token_id,
      remain: hold.is_token_limited ? rest : 0,
      used: amount,
      usedAt: entries.nowSeconds,
    })
  entries.addToChannel({ channelId: entry.channelId, used: amount })
  entries.log(hold, { type: CONSUMPTION, amount, entry, receipt, isRowLogged: isLogged })
}

function applyRelease(entries: LedgerBatch, hold: HoldRow, failure: FailedRequest | undefined): void {
  const { amount } = hold
  if (amount > 0) {
    entries.post(hold, 'release', amount)
    entries.addToUser({ userId: hold.user_id, quota: amount, held: -amount, used: 0, requests: 0 })
    if (hold.token_id !== null && hold.is_token_limited)
      entries.addToToken({ tokenId: hold.token_id, remain: amount, used: 0, usedAt: 0 })
  }
  if (failure) entries.log(hold, { type: FAILED_REQUEST, amount: 0, ...failure, isRowLogged: true })
}
