import type { OptionValues } from '#contract/system-options.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { insertEventLog } from '../../db/system-log.ts'
import { lockTopUp, type TopUpRow, updateTopUp } from '../../db/top-ups.ts'
import { lockUser } from '../../db/users.ts'
import { nowSeconds } from '../../kernel/clock.ts'
import { adjustWallet } from '../../ledger/adjust.ts'
import type { ApiContext } from '../context.ts'
import { quotaText } from '../quota-text.ts'
import { moneyText } from './quote.ts'
import { isSignedRight } from './signature.ts'
import { withEvents } from './timeline.ts'

type Notice = Readonly<Record<string, string>>
type Context = Pick<ApiContext, 'db' | 'settings' | 'requestId'>

const PAID = 'TRADE_SUCCESS'

/**
 * Takes a payment notice. Credits the order when everything about the notice is right, once however often it comes;
 * each notice stands in the order's timeline. `fail` makes the provider tell again.
 */
export function receiveNotice(notice: Notice, context: Context): Promise<'success' | 'fail'> {
  const { values } = context.settings.current()
  return inTransaction(context.db, async tx => {
    const order = await lockTopUp(tx, notice.out_trade_no ?? '')
    if (!order) return 'fail'
    const { fault, events } = judge(notice, order, values)
    const told = { ...order, timeline: withEvents(order.timeline, events) }
    const isToBeCredited = !fault && notice.trade_status === PAID && order.status === 'pending'
    if (isToBeCredited) await credit(tx, told, context)
    else await updateTopUp(tx, order.id, { timeline: told.timeline })
    return fault ? 'fail' : 'success'
  })
}

interface Judgement {
  readonly fault: boolean
  readonly events: Parameters<typeof withEvents>[1]
}

function judge(notice: Notice, order: TopUpRow, { EpayId, EpayKey }: OptionValues): Judgement {
  const callback = ['callback', notice.trade_status ?? ''] as const
  if (EpayId === '' || EpayKey === '' || !isSignedRight(notice, EpayKey))
    return { fault: true, events: [callback, ['signature', 'wrong']] }
  const signed = [callback, ['signature', 'right']] as const
  const fault = faultOf(notice, order, EpayId)
  return fault ? { fault: true, events: [...signed, ['refused', fault]] } : { fault: false, events: signed }
}

/** Why a signed notice does not belong to the order; undefined when it does. */
function faultOf(notice: Notice, order: TopUpRow, merchantId: string): string | undefined {
  if (notice.pid !== merchantId) return 'another merchant'
  if (notice.type !== order.payment_method) return 'another way of paying'
  if (centsOf(notice.money ?? '') !== order.money_cents)
    return `another amount: ${moneyText(order.money_cents)} was asked for`
  return undefined
}

/** Hundredths of a decimal text; undefined for any other text. */
function centsOf(text: string): number | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,2})0*)?$/.exec(text)
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : undefined
}

async function credit(tx: Database, order: TopUpRow, { settings, requestId }: Context): Promise<void> {
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
