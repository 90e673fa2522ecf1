import { nowSeconds } from '../../core/clock.ts'
import { newRequestId } from '../../core/ids.ts'
import { ApiError } from '../../core/api-error.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { listPendingTopUps, lockTopUp, updateTopUp } from '../../db/top-ups.ts'
import { askForOrder, type ProviderOrder } from '../../integrations/easy-pay.ts'
import type { ApiParts } from '../context.ts'
import { creditOrder } from './credit-order.ts'
import { centsOf, moneyText } from './money-text.ts'
import { withEvents } from './timeline.ts'

/** A notice comes within seconds; an order that is older is asked for at this age, at twice it, and so on. */
const FIRST_ASKED_SECONDS = 120
const LAST_ASKED_SECONDS = 24 * 3600
const ORDERS_LOOKED_AT_MAX = 1000
const ORDERS_ASKED_MAX = 50

type Parts = Pick<ApiParts, 'db' | 'settings' | 'send' | 'log'>

/**
 * Asks the payment provider for unpaid orders whose notice may have been lost; credits those that were paid. To be
 * called every `everySeconds`: each order is asked for about ten times in a day. Gives how many were credited.
 */
export async function followOrders(parts: Parts, everySeconds: number, signal: AbortSignal): Promise<number> {
  const { PayAddress: payAddress, EpayId: id, EpayKey: key } = parts.settings.current().values
  if (payAddress === '' || id === '' || key === '') return 0
  let credited = 0
  for (const tradeNo of await dueOrders(parts.db, everySeconds)) {
    if (signal.aborted) break
    const order = await askQuietly(() => askForOrder(tradeNo, { payAddress, id, key }, { ...parts, signal }))
    if (order?.isPaid && (await take(tradeNo, order, id, parts))) credited += 1
  }
  return credited
}

async function dueOrders(db: Database, everySeconds: number): Promise<readonly string[]> {
  const now = nowSeconds()
  const waiting = await listPendingTopUps(db, {
    from: now - LAST_ASKED_SECONDS,
    until: now - FIRST_ASKED_SECONDS + 1,
    limit: ORDERS_LOOKED_AT_MAX,
  })
  const step = (age: number): number => Math.floor(Math.log2(Math.max(age, 1) / FIRST_ASKED_SECONDS))
  return waiting
    .filter(({ created_at }) => step(now - created_at) > step(now - created_at - everySeconds))
    .slice(0, ORDERS_ASKED_MAX)
    .map(({ trade_no }) => trade_no)
}

/** A provider that does not answer is asked again later; that it did not stands in the log. */
async function askQuietly<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function take(tradeNo: string, paid: ProviderOrder, merchantId: string, parts: Parts): Promise<boolean> {
  return inTransaction(parts.db, async tx => {
    const order = await lockTopUp(tx, tradeNo)
    if (order?.status !== 'pending') return false
    const isSame =
      paid.merchantId === merchantId &&
      paid.type === order.payment_method &&
      centsOf(paid.money) === order.money_cents
    const detail = `${paid.type} ${paid.money}`
    if (!isSame) {
      const refused = [
        'refused',
        `${detail}: ${order.payment_method} ${moneyText(order.money_cents)} was asked for`,
      ] as const
      await updateTopUp(tx, order.id, { timeline: withEvents(order.timeline, [['asked', detail], refused]) })
      return false
    }
    const told = { ...order, timeline: withEvents(order.timeline, [['asked', detail]]) }
    await creditOrder(tx, told, { ...parts, requestId: newRequestId() })
    return true
  })
}
