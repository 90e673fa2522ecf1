import { nowSeconds } from '#server/core/clock.ts'
import type { Logger } from '#server/core/logger.ts'
import { PRICE_UPDATE_MODELS_MAX } from '../contract.ts'
import { options } from '../options.ts'
import type { FetchPriceFeed } from './fetch-feed.ts'
import { claimSync, listPinnedModels, listProposals, updateSyncBody } from './queries.ts'
import type { FeedReadingDeps } from './read-feed.ts'

const DAILY = 'daily'
const DAY_SECONDS = 24 * 3600

interface DailyFeedDeps extends FeedReadingDeps {
  readonly fetchPriceFeed: FetchPriceFeed
  readonly log: Logger
  /** Tells the super administrator how many models differ. */
  readonly notify: (differences: number) => void
}

/**
 * Reads the feed of the options once a day, in one of the processes that share the database. Reports differences that were
 * not reported yet. Returns whether it was read.
 */
export async function readDailyFeed(deps: DailyFeedDeps): Promise<boolean> {
  const { db, settings, fetchPriceFeed, log, notify } = deps
  const { PriceFeedEnabled: isEnabled, PriceFeedUrl: url } = settings.of(options)
  const now = nowSeconds()
  if (!isEnabled || url === '') return false
  if (!(await claimSync(db, { name: DAILY, source: url, now, before: now - DAY_SECONDS }))) return false
  const { storeFeed } = await import('./read-feed.ts')
  await storeFeed({ source: url, text: await fetchPriceFeed(url) }, deps)
  const pinned = await listPinnedModels(db, 10 * PRICE_UPDATE_MODELS_MAX)
  const rows = (await listProposals(db, PRICE_UPDATE_MODELS_MAX)).filter(({ model }) => !pinned.has(model))
  log.info('the daily price feed was read', { source: url, differences: rows.length })
  const isNews = await updateSyncBody(db, DAILY, Bun.hash(JSON.stringify(rows)).toString(36))
  if (isNews && rows.length > 0) notify(rows.length)
  return true
}
