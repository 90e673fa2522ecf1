import { elapsedMs, sleepMs } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import { createPriceBook } from '#server/pricing/price-book.ts'
import type { PriceOptions } from '#server/pricing/ratio-rules.ts'
import { findChargedIds, findUsernames, listChargedRequests } from './queries.ts'
import {
  type RepriceLimits,
  type RepricePart,
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

/** Which of several equal parts of the period. */
export interface PartNumber {
  /** From 0. */
  readonly index: number
  readonly count: number
}

interface RepriceRun {
  readonly part: PartNumber
  /** Called with the share that is done, from 0 to 1. */
  readonly onProgress: (share: number) => void
  readonly signal?: AbortSignal
}

/** Charges the requests of a part of the period again at other prices. Throws the reason of the signal when it is aborted. */
export async function repriceLogs(
  db: Database,
  { options, from, until }: RepriceJob,
  { part, onProgress, signal }: RepriceRun,
): Promise<RepricePart> {
  const sums = new RepriceSums(createPriceBook(options))
  const ids = await findChargedIds(db, { from, until })
  if (!ids) return sums.part()
  const size = Math.ceil((ids.last + 1 - ids.first) / part.count)
  const first = ids.first + part.index * size
  const end = Math.min(first + size, ids.last + 1)
  let pausedMs = elapsedMs()
  for (let id = first; id < end; id += IDS_AT_ONCE) {
    signal?.throwIfAborted()
    const next = Math.min(id + IDS_AT_ONCE, end)
    for (const row of await listChargedRequests(db, { from, until }, { from: id, until: next })) sums.add(row)
    if (elapsedMs() - pausedMs < PAUSE_EVERY_MS) continue
    onProgress((next - first) / size)
    await sleepMs(0)
    pausedMs = elapsedMs()
  }
  return sums.part()
}

/** The result of all parts, with the names of users. */
export async function toRepriceResult(
  db: Database,
  parts: readonly RepricePart[],
  { limits }: RepriceJob,
): Promise<RepriceResult> {
  const totals = totalsOf(parts, limits)
  const names = await findUsernames(
    db,
    totals.users.map(user => user.id),
  )
  return { ...totals, users: totals.users.map(user => ({ ...user, username: names.get(user.id) ?? '' })) }
}
