import type { OptionValues } from '#contract/options/system-options.ts'
import { inTransaction } from '../../db/database.ts'
import { lockTopUp, type TopUpRow, updateTopUp } from '../../db/top-ups.ts'
import type { ApiContext } from '../context.ts'
import { creditOrder } from './credit-order.ts'
import { centsOf, moneyText } from './money-text.ts'
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
    if (isToBeCredited) await creditOrder(tx, told, context)
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
