import type { ApiContext } from '#server/api/context.ts'
import { handle, handleResult } from '#server/api/handle.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { defineFeature } from '#server/feature.ts'
import type { Reconciliation } from '../contract.ts'
import * as endpoints from '../contract.ts'
import { reconciliations } from '../migrations/0025-reconciliations.ts'
import { hasPurchasePrices } from './channel-terms.ts'
import { reconciliationError } from './errors.ts'
import { insertBalanceReading, listBalanceReadings } from './queries/balance-readings.ts'
import { listChannelSettings } from './queries/channels.ts'
import { deleteReconciliationRow, insertReconciliation } from './queries/reconciliations.ts'
import type { MadeReconciliation } from './result.ts'
import { viewReconciliation, viewReconciliations } from './view.ts'

/** Some weeks of hourly queries. */
const READINGS_LISTED_MAX = 500

/** Reading and comparing bills takes much code, and happens once a month: it loads with the first. */
const routes = [
  handle(endpoints.createReconciliation, async ({ body, ...context }) =>
    store(await (await import('./reconcile.ts')).reconcile(body, context.reader), context),
  ),

  handle(endpoints.reconcileBalance, async ({ body, ...context }) =>
    store(await (await import('./balance.ts')).reconcileBalances(body, context.reader), context),
  ),

  handle(endpoints.listBalanceReadings, async ({ params, db }) =>
    (await listBalanceReadings(db, params.id, READINGS_LISTED_MAX)).map(
      ({ id, created_at, balance, currency }) => ({ id, created_at, balance, currency }),
    ),
  ),

  handle(endpoints.listReconciliations, ({ query, db }) => viewReconciliations(query, { db })),

  handle(endpoints.listReconcilableChannels, async ({ db, registry }) =>
    (await listChannelSettings(db)).map(({ id, name, type, setting }) => ({
      id,
      name,
      has_purchase_prices: hasPurchasePrices({ setting }),
      can_query_balance: registry.byType(type)?.balance !== undefined,
    })),
  ),

  handle(endpoints.getReconciliation, ({ params, db, language }) =>
    viewReconciliation(params.id, { db, language }),
  ),

  handleResult(endpoints.exportReconciliation, async ({ params, query, db, language }) =>
    (await import('./report-csv.ts')).toReconciliationCsv(
      await viewReconciliation(params.id, { db, language }),
      query.by,
    ),
  ),

  handle(endpoints.deleteReconciliation, async ({ params, db, caller, log, requestId }) => {
    if (!(await deleteReconciliationRow(db, params.id))) throw reconciliationError('unknown')
    log.info('a reconciliation was deleted', { request_id: requestId, user_id: caller.id, id: params.id })
  }),
]

/** Keeps a reconciliation and returns it as it is kept. */
async function store(
  { files, channels, range, result }: MadeReconciliation,
  { db, caller, language, log, requestId }: ApiContext,
): Promise<Reconciliation> {
  const row = {
    created_at: nowSeconds(),
    user_id: caller.id,
    files: JSON.stringify(files),
    channels: JSON.stringify(channels),
    start_time: range.from,
    end_time: range.until,
    billed_nanos: result.total.billed_nanos,
    computed_nanos: result.total.computed_nanos,
    body: JSON.stringify(result),
  }
  const id = await insertReconciliation(db, row, endpoints.RECONCILIATIONS_KEPT)
  log.info('a bill or a balance was reconciled', { request_id: requestId, user_id: caller.id, id, files })
  return viewReconciliation(id, { db, language })
}

export const feature = defineFeature({
  on: {
    balanceRead: (tx, { channelId, readAt, ...reading }) =>
      insertBalanceReading(tx, { channel_id: channelId, created_at: readAt, ...reading }),
  },
  migrations: [reconciliations],
  start: () => ({ routes }),
})
