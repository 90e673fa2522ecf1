import { elapsedMs, sleepMs } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import { createPriceBook } from '#server/pricing/price-book.ts'
import type { PriceOptions } from '#server/pricing/ratio-rules.ts'
import { findChargedIds, findUsernames, listChargedRequests } from './queries.ts'
import {
  type RepricedSums,
  type RepriceLimits,
  RepriceSums,
  type RepriceTotals,
  totalsOf,
  type UserSums,
} from './reprice-totals.ts'

export interface RepriceJob {
  readonly options: PriceOptions
  /** Unix seconds; `until` is not part of the period. */
  readonly from: number
  readonly until: number
  readonly limits: RepriceLimits
}

export interface RepriceResult extends Omit<RepriceTotals, 'users'> {
  readonly users: readonly UserSums[]
}

/** Ids that one query reads. */
const IDS_AT_ONCE = 1_000
/** The embedded database never returns to the event loop. */
const PAUSE_EVERY_MS = 50

interface RepriceRun {
  /** Called with the share that is done, from 0 to 1. */
  readonly onProgress: (share: number) => void
  readonly signal?: AbortSignal
}

/** Charges the requests of the period again at other prices. Throws the reason of the signal when it is aborted. */
export async function repriceLogs(
  db: Database,
  { options, from, until }: RepriceJob,
  { onProgress, signal }: RepriceRun,
): Promise<RepricedSums> {
  const sums = new RepriceSums(createPriceBook(options))
  const ids = await findChargedIds(db, { from, until })
  if (!ids) return sums.result()
  const end = ids.last + 1
  let pausedMs = elapsedMs()
  for (let id = ids.first; id < end; id += IDS_AT_ONCE) {
    signal?.throwIfAborted()
    const next = Math.min(id + IDS_AT_ONCE, end)
    for (const row of await listChargedRequests(db, { from, until }, { from: id, until: next })) sums.add(row)
    if (elapsedMs() - pausedMs < PAUSE_EVERY_MS) continue
    onProgress((next - ids.first) / (end - ids.first))
    await sleepMs(0)
    pausedMs = elapsedMs()
  }
  return sums.result()
}

/** The result, with the names of users. */
export async function toRepriceResult(
  db: Database,
  sums: RepricedSums,
  { limits }: RepriceJob,
): Promise<RepriceResult> {
  const totals = totalsOf(sums, limits)
  const names = await findUsernames(
    db,
    totals.users.map(user => user.id),
  )
  return { ...totals, users: totals.users.map(user => ({ ...user, username: names.get(user.id) ?? '' })) }
}
