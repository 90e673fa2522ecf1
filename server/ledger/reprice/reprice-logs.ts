import { elapsedMs, sleepMs } from '../../core/clock.ts'
import type { Database } from '../../db/engine/database.ts'
import { findChargedIds, findUsernames, listChargedRequests } from '../../db/logs/charged-requests.ts'
import { listPricesOf, type OwnPriceLists } from '../pricing/own-list-prices.ts'
import type { PriceFigures } from '../pricing/token-rates.ts'
import { type RepriceLimits, RepriceSums, type RepriceTotals, type UserSums } from './reprice-totals.ts'

/** The options that decide what a request costs. */
export interface RepriceOptions {
  readonly ModelRatio: PriceFigures
  readonly ModelPrice: PriceFigures
  readonly CompletionRatio: PriceFigures
  readonly CacheRatio: PriceFigures
  readonly CreateCacheRatio: PriceFigures
  readonly GroupRatio: PriceFigures
  readonly ModelPriceLists: OwnPriceLists
}

export interface RepriceJob {
  readonly options: RepriceOptions
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

/** Charges the requests of a period again at other prices. Throws the reason of the signal when it is aborted. */
export async function repriceLogs(
  db: Database,
  { options, from, until, limits }: RepriceJob,
  { onProgress, signal }: RepriceRun,
): Promise<RepriceResult> {
  const sums = new RepriceSums(toPriceTable(options))
  let pausedMs = elapsedMs()
  const ids = await findChargedIds(db, { from, until })
  if (ids)
    for (let id = ids.first; id <= ids.last; id += IDS_AT_ONCE) {
      signal?.throwIfAborted()
      const end = Math.min(id + IDS_AT_ONCE, ids.last + 1)
      for (const row of await listChargedRequests(db, { from, until }, { from: id, until: end }))
        sums.add(row)
      if (elapsedMs() - pausedMs < PAUSE_EVERY_MS) continue
      onProgress((end - ids.first) / (ids.last + 1 - ids.first))
      await sleepMs(0)
      pausedMs = elapsedMs()
    }
  const totals = sums.totals(limits)
  const names = await findUsernames(
    db,
    totals.users.map(user => user.id),
  )
  return { ...totals, users: totals.users.map(user => ({ ...user, username: names.get(user.id) ?? '' })) }
}

const toPriceTable = (options: RepriceOptions) => ({
  modelRatio: options.ModelRatio,
  modelPrice: options.ModelPrice,
  completionRatio: options.CompletionRatio,
  cacheRatio: options.CacheRatio,
  createCacheRatio: options.CreateCacheRatio,
  groupRatio: options.GroupRatio,
  listPrices: listPricesOf(options.ModelPriceLists),
})
