import { lockChannels, lockUsers, moveChannelBalances } from '../db/balances.ts'
import { type Database, inTransaction } from '../db/database.ts'
import type { Engine } from '../db/migrations/migration.ts'
import { insertHoldPostings } from '../db/postings.ts'
import { insertReceipts, insertRequestLogs } from '../db/request-logs.ts'
import { addToUsageHours } from '../db/usage-hours.ts'
import { nowSeconds } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { type ClosedHolds, enterClosings } from './enter-closings.ts'
import { enterOpenings, type Refusals } from './enter-openings.ts'
import { Entries } from './entries.ts'
import type { Movement } from './movement.ts'

export interface Books {
  readonly db: Database
  readonly engine: Engine
  readonly log: Log
  readonly processId: string
  readonly isConsumptionLogged: () => boolean
  /** Told whose wallets were charged, after it is durable. */
  readonly onCharged?: (userIds: readonly number[]) => void
}

/**
 * Writes movements in one transaction: all of them, or, when it throws, none. Holds are closed before others are
 * opened, so that money given back can be reserved again at once.
 */
export async function commit(books: Books, movements: readonly Movement[]): Promise<Refusals> {
  const { refusals, closed } = await inTransaction(books.db, tx => write(tx, books, movements))
  raiseAlarms(books.log, closed)
  books.onCharged?.(userIdsOf(movements.filter(({ kind }) => kind === 'settle')))
  return refusals
}

async function write(tx: Database, books: Books, movements: readonly Movement[]) {
  const now = nowSeconds()
  const entries = new Entries(now)
  if (books.engine === 'postgres') await lockUsers(tx, userIdsOf(movements))
  const closed = await enterClosings(tx, {
    movements,
    entries,
    isConsumptionLogged: books.isConsumptionLogged(),
  })
  const refusals = await enterOpenings(tx, {
    movements,
    entries,
    processId: books.processId,
    nowSeconds: now,
  })
  for (const [move, rows] of entries.postings) await insertHoldPostings[move](tx, rows)
  await insertLogs(tx, entries)
  await addToUsageHours(tx, entries.hourRows())
  const channels = entries.channelMoves()
  if (books.engine === 'postgres')
    await lockChannels(
      tx,
      channels.map(move => move.channelId),
    )
  await moveChannelBalances(tx, channels)
  return { refusals, closed }
}

async function insertLogs(tx: Database, entries: Entries): Promise<void> {
  const rows = await insertRequestLogs(tx, entries.logs)
  await insertReceipts(
    tx,
    rows.map(({ id, request_id }) => ({ log_id: id, body: entries.receipts.get(request_id) ?? '{}' })),
  )
}

const userIdsOf = (movements: readonly Movement[]): number[] =>
  [...new Set(movements.map(movement => movement.hold.userId))].sort((a, b) => a - b)

function raiseAlarms(log: Log, { overruns, unsettled }: ClosedHolds): void {
  for (const { requestId, held, charged } of overruns)
    log.warn('an answer cost more than was reserved for it', { request_id: requestId, held, charged })
  for (const requestId of unsettled)
    log.warn('a settlement found its hold closed and charged nothing', { request_id: requestId })
}
