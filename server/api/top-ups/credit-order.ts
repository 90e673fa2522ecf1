import { nowSeconds } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'
import { insertEventLog } from '../../db/system-log.ts'
import { type TopUpRow, updateTopUp } from '../../db/top-ups.ts'
import { lockUser } from '../../db/users.ts'
import { adjustWallet } from '../../ledger/adjust.ts'
import type { ApiContext } from '../context.ts'
import { quotaText } from '../quota-text.ts'
import { moneyText } from './money-text.ts'
import { withEvents } from './timeline.ts'

/** Credits a locked order that was pending: once, for its status changes in the same transaction. */
export async function creditOrder(
  tx: Database,
  order: TopUpRow,
  { settings, requestId }: Pick<ApiContext, 'settings' | 'requestId'>,
): Promise<void> {
  const { user_id: userId, quota: amount, trade_no } = order
  await updateTopUp(tx, order.id, {
    status: 'success',
    completed_at: nowSeconds(),
    timeline: withEvents(order.timeline, [['credited', String(amount)]]),
  })
  const user = await lockUser(tx, userId)
  await adjustWallet(tx, { userId, amount, kind: 'top_up', actorId: 0, reason: trade_no, requestId })
  const worth = quotaText(amount, settings.current().values)
  await insertEventLog(tx, {
    type: 1,
    userId,
    username: user?.username ?? '',
    content: `使用在线充值成功，充值金额: ${worth}，支付金额：${moneyText(order.money_cents)}`,
    quota: amount,
    requestId,
  })
}
