import type { ApiDeps } from '#server/api/context.ts'
import { ApiError } from '#server/core/api-error.ts'
import { everyMs, nowSeconds } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { newRequestId } from '#server/core/ids.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { fetchPaymentOrder, type PaymentOrder } from './easy-pay.ts'
import { creditOrder, formatMoney, parseCents, withEvents } from './order.ts'
import { listPendingTopUps, lockTopUp, updateTopUp } from './queries.ts'

/** Callbacks usually arrive within seconds. An unpaid order is queried at this age, then at twice the age, and so on. */
const FIRST_QUERY_SECONDS = 120
const LAST_QUERY_SECONDS = 24 * 3600
const ORDERS_SCANNED_MAX = 1000
const ORDERS_QUERIED_MAX = 50
const INTERVAL_SECONDS = 60

type ReconciliationDeps = Pick<ApiDeps, 'db' | 'settings' | 'send' | 'log' | 'secrets' | 'events'>

/**
 * Checks unpaid orders at the payment provider, since its notification may be lost. The returned function stops the job:
 * it aborts a run in progress and waits for it.
 */
export function startOrderReconciliation(deps: ReconciliationDeps): () => Promise<void> {
  const stopping = new AbortController()
  const stop = everyMs(INTERVAL_SECONDS * 1000, async () => {
    try {
      const credited = await reconcileOrders(deps, INTERVAL_SECONDS, stopping.signal)
      if (credited > 0) deps.log.warn('paid orders were credited without a notification', { credited })
    } catch (error) {
      deps.log.error('unpaid orders could not be reconciled', { reason: errorMessage(error) })
    }
  })
  return () => {
    stopping.abort()
    return stop()
  }
}

/**
 * Queries unpaid orders whose callback may have been lost and credits the paid ones. Call it every `everySeconds`: each
 * order is then queried about ten times a day. Returns the number of credited orders.
 */
export async function reconcileOrders(
  parts: ReconciliationDeps,
  everySeconds: number,
  signal: AbortSignal,
): Promise<number> {
  const { PayAddress: payAddress, EpayId: id, EpayKey: key } = parts.settings.current().values
  if (payAddress === '' || id === '' || key === '') return 0
  let credited = 0
  for (const tradeNo of await dueOrders(parts.db, everySeconds)) {
    if (signal.aborted) break
    const order = await ignoreProviderErrors(() =>
      fetchPaymentOrder(tradeNo, { payAddress, id, key }, { ...parts, signal }),
    )
    if (order?.isPaid && (await creditPaidOrder(tradeNo, order, id, parts))) credited += 1
  }
  return credited
}

async function dueOrders(db: Database, everySeconds: number): Promise<readonly string[]> {
  const now = nowSeconds()
  const waiting = await listPendingTopUps(db, {
    from: now - LAST_QUERY_SECONDS,
    until: now - FIRST_QUERY_SECONDS + 1,
    limit: ORDERS_SCANNED_MAX,
  })
  const step = (age: number): number => Math.floor(Math.log2(Math.max(age, 1) / FIRST_QUERY_SECONDS))
  return waiting
    .filter(({ created_at }) => step(now - created_at) > step(now - created_at - everySeconds))
    .slice(0, ORDERS_QUERIED_MAX)
    .map(({ trade_no }) => trade_no)
}

/** A provider failure is not fatal, because the order is queried again later. The integration logs it. */
async function ignoreProviderErrors<Result>(query: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await query()
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function creditPaidOrder(
  tradeNo: string,
  paid: PaymentOrder,
  merchantId: string,
  parts: ReconciliationDeps,
): Promise<boolean> {
  return inTransaction(parts.db, async tx => {
    const order = await lockTopUp(tx, tradeNo)
    if (order?.status !== 'pending') return false
    const isSame =
      paid.merchantId === merchantId &&
      paid.type === order.payment_method &&
      parseCents(paid.money) === order.money_cents
    const detail = `${paid.type} ${paid.money}`
    if (!isSame) {
      const rejection = [
        'refused',
        `${detail}: ${order.payment_method} ${formatMoney(order.money_cents)} was asked for`,
      ] as const
      await updateTopUp(tx, order.id, {
        timeline: withEvents(order.timeline, [['asked', detail], rejection]),
      })
      return false
    }
    const queried = { ...order, timeline: withEvents(order.timeline, [['asked', detail]]) }
    await creditOrder(tx, queried, { ...parts, requestId: newRequestId() })
    return true
  })
}
