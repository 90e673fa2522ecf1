import { nowSeconds } from '#server/core/clock.ts'
import { lockUser } from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import type { Services } from '#server/feature.ts'
import { listPayableOrders, type PlanOrder, putOrder, takeOrder } from './queries.ts'
import { getOffered, startPlan } from './subscriptions.ts'

/** Payments that arrive at all take less. */
const ORDER_SECONDS = 86_400
const ORDERS_AT_ONCE = 200
const BY_GATEWAY = { actorId: 0, requestId: '' }

/** Lets a plan be bought as soon as a top-up pays for it, within a day. Returns the units that are missing. */
export async function orderPlan(
  tx: Database,
  { userId, planId }: { readonly userId: number; readonly planId: number },
): Promise<number> {
  const { price } = await getOffered(tx, planId)
  const user = await lockUser(tx, userId)
  await putOrder(tx, { user_id: userId, plan_id: planId, created_at: nowSeconds() })
  return Math.max(price - (user?.quota ?? 0), 0)
}

/** Buys what orders wait for and wallets can pay now. An order is gone after its first attempt, whatever comes of it. */
export async function buyOrdered({
  db,
  ledger,
  log,
  zone,
}: Pick<Services, 'db' | 'ledger' | 'log'> & { readonly zone: string }): Promise<void> {
  const buy = ({ user_id: userId, plan_id: planId }: PlanOrder) =>
    inTransaction(db, tx => startPlan(tx, { userId, planId, zone }, { ledger, cause: BY_GATEWAY }))
  for (const order of await listPayableOrders(db, nowSeconds() - ORDER_SECONDS, ORDERS_AT_ONCE))
    if (await takeOrder(db, order))
      await buy(order).catch(error => log.warn('an ordered plan could not be bought', { ...order, error }))
}
