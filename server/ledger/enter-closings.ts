import { moveTokenBalances, moveUserBalances } from '../db/balances.ts'
import type { HoldRow } from '../db/holds.ts'
import { CONSUMPTION, FAILED_REQUEST } from '../db/request-logs.ts'
import type { Session } from '../db/session.ts'
import type { Entries } from './entries.ts'
import type { Bill, FailedRequest } from './hold.ts'
import type { Movement, Release, Settle } from './movement.ts'
import type { OpenHolds } from './open-holds.ts'

interface Closing {
  readonly movements: readonly Movement[]
  readonly entries: Entries
  readonly isConsumptionLogged: boolean
  readonly openHolds: OpenHolds
}

/** A charge dearer than what was reserved for it. */
export interface Overrun {
  readonly requestId: string
  readonly held: number
  readonly charged: number
}

/** What a closing brought to light that an operator must see. */
export interface ClosedHolds {
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
export async function enterClosings(
  session: Session,
  { movements, entries, isConsumptionLogged, openHolds }: Closing,
): Promise<ClosedHolds> {
  const closings = firstPerRequest(movements)
  const rows = await openHolds.close(session, [...closings.keys()])
  const overruns: Overrun[] = []
  for (const row of rows) {
    const closing = closings.get(row.request_id)
    if (closing?.kind === 'settle') {
      enterSettlement(entries, row, closing.bill, isConsumptionLogged)
      if (closing.bill.amount > row.amount)
        overruns.push({ requestId: row.request_id, held: row.amount, charged: closing.bill.amount })
    } else enterRelease(entries, row, closing?.failure)
    closings.delete(row.request_id)
  }
  await moveUserBalances(session, entries.userMoves())
  await moveTokenBalances(session, entries.tokenMoves())
  const unsettled = [...closings.values()].filter(closing => closing.kind === 'settle')
  return { overruns, unsettled: unsettled.map(closing => closing.hold.requestId) }
}

/** Of several closings of one hold in one batch the first counts. */
function firstPerRequest(movements: readonly Movement[]): Map<string, Settle | Release> {
  const closings = new Map<string, Settle | Release>()
  for (const movement of movements) {
    if (movement.kind !== 'settle' && movement.kind !== 'release') continue
    if (!closings.has(movement.hold.requestId)) closings.set(movement.hold.requestId, movement)
  }
  return closings
}

function enterSettlement(entries: Entries, hold: HoldRow, bill: Bill, isLogged: boolean): void {
  const { amount, entry, receipt } = bill
  const rest = hold.amount - amount
  if (rest < 0) entries.post(hold, 'overrun', -rest)
  if (rest > 0) entries.postSettlement(hold, amount, entry.channelId)
  else entries.post(hold, 'charge', amount, entry.channelId)
  entries.moveUser({ userId: hold.user_id, quota: rest, held: -hold.amount, used: amount, requests: 1 })
  if (hold.token_id !== null)
    entries.moveToken({
      tokenId: hold.token_id,
      remain: hold.is_token_limited ? rest : 0,
      used: amount,
      usedAt: entries.nowSeconds,
    })
  entries.moveChannel({ channelId: entry.channelId, used: amount })
  entries.log(hold, { type: CONSUMPTION, amount, entry, receipt, isRowWanted: isLogged })
}

function enterRelease(entries: Entries, hold: HoldRow, failure: FailedRequest | undefined): void {
  const { amount } = hold
  if (amount > 0) {
    entries.post(hold, 'release', amount)
    entries.moveUser({ userId: hold.user_id, quota: amount, held: -amount, used: 0, requests: 0 })
    if (hold.token_id !== null && hold.is_token_limited)
      entries.moveToken({ tokenId: hold.token_id, remain: amount, used: 0, usedAt: 0 })
  }
  if (failure) entries.log(hold, { type: FAILED_REQUEST, amount: 0, ...failure, isRowWanted: true })
}
