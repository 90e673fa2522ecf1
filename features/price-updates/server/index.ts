import type { ApiContext } from '#server/api/context.ts'
import { handle, type Route } from '#server/api/handle.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { defineFeature } from '#server/feature.ts'
import type { UserNotification } from '#server/notifications/send-notification.ts'
import * as endpoints from '../contract.ts'
import { priceUpdates } from '../migrations/0023-price-updates.ts'
import { options } from '../options.ts'
import { applyDuePrices, undoBatch } from './apply.ts'
import { approve } from './approve.ts'
import { readDailyFeed } from './daily.ts'
import { startPriceFeed } from './daily-job.ts'
import { priceUpdateError } from './errors.ts'
import { createPriceFeed, type FetchPriceFeed } from './fetch-feed.ts'
import { deletePins, insertPins } from './queries.ts'
import { viewChanges, viewUpdates } from './view.ts'

/** The name of a pasted feed. */
const PASTED = 'JSON'

const createRoutes = (fetchPriceFeed: FetchPriceFeed): readonly Route[] => [
  handle(endpoints.getPriceUpdates, viewCurrent),

  handle(endpoints.readPriceFeed, async ({ body: { url, text, name }, ...context }) => {
    if (url === '' && text.trim() === '') throw priceUpdateError('no_feed')
    const feed = url === '' ? text : await fetchPriceFeed(url)
    // Much code, for a call a day.
    const { storeFeed } = await import('./read-feed.ts')
    await storeFeed({ source: url || name || PASTED, text: feed }, context)
    context.log.info('a price feed was read', {
      request_id: context.requestId,
      user_id: context.caller.id,
      source: url || name || PASTED,
    })
    return viewCurrent(context)
  }),

  handle(endpoints.approvePriceUpdates, ({ body, ...context }) => approve(body, context)),

  handle(endpoints.pinPriceUpdates, async ({ body: { models, is_pinned }, db, caller, log, requestId }) => {
    await inTransaction(db, tx =>
      is_pinned ? insertPins(tx, models, { userId: caller.id, now: nowSeconds() }) : deletePins(tx, models),
    )
    log.info('prices were pinned or unpinned', {
      request_id: requestId,
      user_id: caller.id,
      models,
      is_pinned,
    })
  }),

  handle(endpoints.listPriceChanges, ({ query, reader }) => viewChanges(query, { reader })),

  handle(endpoints.undoPriceChanges, async ({ body: { batch }, db, caller, log, requestId }) => {
    const { count, keys } = await undoBatch(db, batch, caller.id)
    log.info('options were changed', { request_id: requestId, user_id: caller.id, keys, undone: batch })
    return { count }
  }),
]

/** Tells the super administrator that the daily price feed proposes prices for this number of models. */
const priceNotice = (count: number): UserNotification => ({
  type: 'price_update',
  values: [String(count)],
  subject: { zh: `${count} 个模型的价格与来源不同`, en: `Prices of ${count} models differ from the feed` },
  text: {
    zh: `每日价格来源中有 ${count} 个模型与当前价格不同。价格不会自动改变，请在“设置 > 运营设置 > 模型价格 > 价格更新”中审批。`,
    en: `The daily price feed differs from the prices in force for ${count} models. Nothing changes by itself: approve the prices under Settings > Operation > Model prices > Updates.`,
  },
})

/** A price that was changed just now counts, so the database is read that was written to. */
async function viewCurrent({ db, settings, language }: Pick<ApiContext, 'db' | 'settings' | 'language'>) {
  await settings.refresh()
  return viewUpdates(db, settings.current().values, language)
}

export const feature = defineFeature({
  options,
  migrations: [priceUpdates],
  start(services) {
    const { db, settings, safeFetch, rootNotifier, log } = services
    const fetchPriceFeed = createPriceFeed(safeFetch)
    const notify = (differences: number) => rootNotifier.notify(priceNotice(differences))
    return {
      routes: createRoutes(fetchPriceFeed),
      jobs: [
        () =>
          startPriceFeed({
            applyDue: () => applyDuePrices(services),
            readDaily: () => readDailyFeed({ db, settings, fetchPriceFeed, log, notify }),
            log,
          }),
      ],
    }
  },
})
