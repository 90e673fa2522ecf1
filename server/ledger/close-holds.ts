import { moveTokenBalances, moveUserBalances } from '../db/balances.ts'
import type { Database } from '../db/database.ts'
import { type HoldRow, releaseHolds, settleHolds } from '../db/holds.ts'
import { CONSUMPTION, FAILED_REQUEST } from '../db/request-logs.ts'
import type { Entries } from './entries.ts'
import type { Bill, FailedRequest } from './hold.ts'
import { isReleasing, isSettling, type Movement, type Release, type Settle } from './movement.ts'

interface Closing {
  readonly movements: readonly Movement[]
  readonly entries: Entries
  readonly isConsumptionLogged: boolean
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
export async function closeHolds(
  tx: Database,
  { movements, entries, isConsumptionLogged }: Closing,
): Promise<ClosedHolds> {
  const settling = byRequest(movements.filter(isSettling))
  const releasing = byRequest(movements.filter(isReleasing))
  const settled = await settleHolds(tx, [...settling.keys()])
  const released = await releaseHolds(tx, [...releasing.keys()])
  for (const row of settled) {
    const bill = settling.get(row.request_id)?.bill
    if (bill) enterSettlement(entries, row, bill, isConsumptionLogged)
  }
  for (const row of released) enterRelease(entries, row, releasing.get(row.request_id)?.failure)
  await moveUserBalances(tx, entries.userMoves())
  await moveTokenBalances(tx, entries.tokenMoves())
  const found = new Set(settled.map(row => row.request_id))
  return {
    overruns: settled.flatMap(row => overrunOf(row, settling.get(row.request_id))),
    unsettled: [...settling.keys()].filter(requestId => !found.has(requestId)),
  }
}

function byRequest<M extends Settle | Release>(movements: readonly M[]): ReadonlyMap<string, M> {
  const first = new Map<string, M>()
  for (const movement of movements)
    if (!first.has(movement.hold.requestId)) first.set(movement.hold.requestId, movement)
  return first
}

function overrunOf(row: HoldRow, settle: Settle | undefined): ClosedHolds['overruns'] {
  if (!settle || settle.bill.amount <= row.amount) return []
  return [{ requestId: row.request_id, held: row.amount, charged: settle.bill.amount }]
}

function enterSettlement(entries: Entries, hold: HoldRow, bill: Bill, isLogged: boolean): void {
  const { amount, entry, receipt } = bill
  const rest = hold.amount - amount
  if (rest < 0)
    entries.post(hold, { kind: 'overrun', from_account: 'wallet', to_account: 'held', amount: -rest })
  entries.post(hold, {
    kind: 'charge',
    from_account: 'held',
    to_account: 'revenue',
    amount,
    channelId: entry.channelId,
  })
  if (rest > 0) entries.post(hold, { kind: 'rest', from_account: 'held', to_account: 'wallet', amount: rest })
  entries.moveUser({ userId: hold.user_id, quota: rest, held: -hold.amount, used: amount, requests: 1 })
  if (hold.token_id !== null)
    entries.moveToken({ tokenId: hold.token_id, remain: hold.is_token_limited ? rest : 0, used: amount })
  entries.moveChannel({ channelId: entry.channelId, used: amount })
  entries.log(hold, { type: CONSUMPTION, amount, entry, receipt, isRowWanted: isLogged })
}

function enterRelease(entries: Entries, hold: HoldRow, failure: FailedRequest | undefined): void {
  const { amount } = hold
  if (amount > 0) {
    entries.post(hold, { kind: 'release', from_account: 'held', to_account: 'wallet', amount })
    entries.moveUser({ userId: hold.user_id, quota: amount, held: -amount, used: 0, requests: 0 })
    if (hold.token_id !== null && hold.is_token_limited)
      entries.moveToken({ tokenId: hold.token_id, remain: amount, used: 0 })
  }
  if (failure) entries.log(hold, { type: FAILED_REQUEST, amount: 0, ...failure, isRowWanted: true })
}
