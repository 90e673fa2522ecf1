import { nowSeconds } from '../../core/clock.ts'
import { randomAlphanumeric } from '../../core/ids.ts'
import { insertTopUp } from '../../db/top-ups.ts'
import type { ApiContext } from '../context.ts'
import { type Merchant, merchantOf } from './merchant.ts'
import { moneyText } from './money-text.ts'
import { quoteOf } from './quote.ts'
import { refuse } from './refuse.ts'
import { signatureOf } from './signature.ts'
import { withEvents } from './timeline.ts'

const ORDER_RANDOM_LETTERS = 6
/** Ways of paying, and what the provider calls them. */
const METHODS: Readonly<Record<string, string>> = { zfb: 'alipay', wx: 'wxpay' }

interface Wanted {
  readonly amount: number
  readonly payment_method: string
}

/** What the console posts to the payment provider. */
export interface PaymentForm {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
}

/** Makes an order that waits to be paid, and the signed form that leads to paying it. */
export async function makeOrder(
  { amount, payment_method }: Wanted,
  { db, caller, settings }: Pick<ApiContext, 'db' | 'caller' | 'settings'>,
): Promise<PaymentForm> {
  const { values } = settings.current()
  const merchant = merchantOf(values)
  const type = Object.hasOwn(METHODS, payment_method) ? METHODS[payment_method] : undefined
  if (type === undefined) throw refuse('unknown_method')
  const { quota, moneyCents } = quoteOf(amount, caller.group, values)
  const now = nowSeconds()
  const order = {
    user_id: caller.id,
    trade_no: `USR${caller.id}NO${randomAlphanumeric(ORDER_RANDOM_LETTERS)}${now}`,
    quota,
    money_cents: moneyCents,
    payment_method: type,
    status: 'pending',
    created_at: now,
  }
  const timeline = withEvents('[]', [
    ['created', moneyText(moneyCents)],
    ['sent', type],
  ])
  await insertTopUp(db, { ...order, timeline })
  return formOf(merchant, {
    type,
    out_trade_no: order.trade_no,
    name: `TUC${amount}`,
    money: moneyText(moneyCents),
  })
}

function formOf(merchant: Merchant, order: Readonly<Record<string, string>>): PaymentForm {
  const fields = {
    pid: merchant.id,
    ...order,
    notify_url: `${merchant.callbackAddress}/api/user/epay/notify`,
    return_url: `${merchant.serverAddress}/log`,
    device: 'pc',
  }
  const sign = signatureOf(fields, merchant.key)
  return { url: `${merchant.payAddress}/submit.php`, fields: { ...fields, sign_type: 'MD5', sign } }
}
