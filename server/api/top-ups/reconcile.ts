import { ApiError } from '../../core/api-error.ts'
import { nowSeconds } from '../../core/clock.ts'
import { newRequestId } from '../../core/ids.ts'
import { listPendingTopUps, lockTopUp, updateTopUp } from '../../db/billing/top-ups.ts'
import { type Database, inTransaction } from '../../db/engine/database.ts'
import { fetchPaymentOrder, type PaymentOrder } from '../../integrations/easy-pay.ts'
import type { ApiDeps } from '../context.ts'
import { creditOrder, formatMoney, parseCents, withEvents } from './order.ts'

/** Callbacks usually arrive within seconds. An unpaid order is queried at this age, then at twice the age, and so on. */
const FIRST_QUERY_SECONDS = 120
const LAST_QUERY_SECONDS = 24 * 3600
const ORDERS_SCANNED_MAX = 1000
const ORDERS_QUERIED_MAX = 50

type ReconciliationDeps = Pick<ApiDeps, 'db' | 'settings' | 'send' | 'log'>

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
