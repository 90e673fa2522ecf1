import { nowSeconds } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { lockChannels, lockUsers, moveChannelBalances } from '../db/balances.ts'
import { type Database, inBareTransaction } from '../db/database.ts'
import type { Engine } from '../db/migrations/migration.ts'
import { insertHoldPostings, insertSettlements, SINGLE_MOVES } from '../db/postings.ts'
import { insertRequestLogs } from '../db/request-logs.ts'
import type { Session } from '../db/session.ts'
import { addToUsageHours } from '../db/usage-hours.ts'
import { type ClosedHolds, enterClosings } from './enter-closings.ts'
import { enterOpenings, type Refusals } from './enter-openings.ts'
import { Entries } from './entries.ts'
import type { Movement } from './movement.ts'
import type { OpenHolds } from './open-holds.ts'

export interface Books {
  readonly db: Database
  readonly engine: Engine
  readonly log: Log
  readonly processId: string
  readonly openHolds: OpenHolds
  readonly isConsumptionLogged: () => boolean
  /** Told whose wallets were charged, after it is durable. */
  readonly onCharged?: (userIds: readonly number[]) => void
}

/**
 * Writes movements in one transaction: all of them, or, when it throws, none. Holds are closed before others are
 * opened, so that money given back can be reserved again at once.
 */
export async function commit(books: Books, movements: readonly Movement[]): Promise<Refusals> {
  const { refusals, opened, closed } = await inBareTransaction(books, session =>
    write(session, books, movements),
  )
  books.openHolds.keep(opened)
  raiseAlarms(books.log, closed)
  books.onCharged?.(userIdsOf(movements.filter(({ kind }) => kind === 'settle')))
  return refusals
}

async function write(session: Session, books: Books, movements: readonly Movement[]) {
  const now = nowSeconds()
  const entries = new Entries(now)
  if (books.engine === 'postgres') await lockUsers(session, userIdsOf(movements))
  const closed = await enterClosings(session, {
    movements,
    entries,
    isConsumptionLogged: books.isConsumptionLogged(),
    openHolds: books.openHolds,
  })
  const { refusals, opened } = await enterOpenings(session, {
    movements,
    entries,
    processId: books.processId,
    nowSeconds: now,
    openHolds: books.openHolds,
  })
  for (const move of SINGLE_MOVES) await insertHoldPostings[move](session, entries.postings[move], [now])
  await insertSettlements(session, entries.settlements, [now])
  await insertRequestLogs(session, books.engine, entries.logs)
  await addToUsageHours(session, entries.hourRows())
  const channels = entries.channelMoves()
  if (books.engine === 'postgres')
    await lockChannels(
      session,
      channels.map(move => move.channelId),
    )
  await moveChannelBalances(session, channels)
  return { refusals, opened, closed }
}

const userIdsOf = (movements: readonly Movement[]): number[] =>
  [...new Set(movements.map(movement => movement.hold.userId))].sort((a, b) => a - b)

function raiseAlarms(log: Log, { overruns, unsettled }: ClosedHolds): void {
  for (const { requestId, held, charged } of overruns)
    log.warn('an answer cost more than was reserved for it', { request_id: requestId, held, charged })
  for (const requestId of unsettled)
    log.warn('a settlement found its hold closed and charged nothing', { request_id: requestId })
}
