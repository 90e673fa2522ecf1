import { QUOTA_MAX } from '#contract/fields.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import { type Decimal, decimal, multiply, type Quota, roundToQuota } from '#server/core/money.ts'
import { signFields } from './callback.ts'
import { topUpError } from './errors.ts'
import { formatMoney, withEvents } from './order.ts'
import { insertTopUp } from './queries.ts'

const ORDER_SUFFIX_LENGTH = 6
/** Payment methods by their name in the API, with the provider's name. */
const PAYMENT_METHODS: Readonly<Record<string, string>> = { zfb: 'alipay', wx: 'wxpay' }

interface OrderRequest {
  readonly amount: number
  readonly payment_method: string
}

/** The signed form that the browser posts to the payment provider. */
export interface PaymentForm {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
}

/** Creates a pending order and returns the payment form for it. */
export async function createOrder(
  { amount, payment_method }: OrderRequest,
  { db, caller, settings }: Pick<ApiContext, 'db' | 'caller' | 'settings'>,
): Promise<PaymentForm> {
  const { values } = settings.current()
  const merchant = requireMerchant(values)
  const type = Object.hasOwn(PAYMENT_METHODS, payment_method) ? PAYMENT_METHODS[payment_method] : undefined
  if (type === undefined) throw topUpError('unknown_method')
  const { quota, moneyCents } = quoteTopUp(amount, caller.group, values)
  const now = nowSeconds()
  const order = {
    user_id: caller.id,
    trade_no: `USR${caller.id}NO${randomAlphanumeric(ORDER_SUFFIX_LENGTH)}${now}`,
    quota,
    money_cents: moneyCents,
    payment_method: type,
    status: 'pending',
    created_at: now,
  }
  const timeline = withEvents('[]', [
    ['created', formatMoney(moneyCents)],
    ['sent', type],
  ])
  await insertTopUp(db, { ...order, timeline })
  return toPaymentForm(merchant, {
    type,
    out_trade_no: order.trade_no,
    name: `TUC${amount}`,
    money: formatMoney(moneyCents),
  })
}

function toPaymentForm(merchant: Merchant, order: Readonly<Record<string, string>>): PaymentForm {
  const fields = {
    pid: merchant.id,
    ...order,
    notify_url: `${merchant.callbackAddress}/api/user/epay/notify`,
    return_url: `${merchant.serverAddress}/log`,
    device: 'pc',
  }
  const sign = signFields(fields, merchant.key)
  return { url: `${merchant.payAddress}/submit.php`, fields: { ...fields, sign_type: 'MD5', sign } }
}

/** Our account at the payment provider. */
interface Merchant {
  readonly id: string
  readonly key: string
  readonly payAddress: string
  readonly callbackAddress: string
  readonly serverAddress: string
}

/** Throws a `top_up.*` error while the payment options are incomplete. */
export function requireMerchant(values: OptionValues): Merchant {
  const { EpayId, EpayKey, PayAddress, ServerAddress, CustomCallbackAddress } = values
  if (EpayId === '' || EpayKey === '' || PayAddress === '') throw topUpError('not_configured')
  if (ServerAddress === '') throw topUpError('no_server_address')
  return {
    id: EpayId,
    key: EpayKey,
    payAddress: PayAddress,
    callbackAddress: CustomCallbackAddress || ServerAddress,
    serverAddress: ServerAddress,
  }
}

const CENTS = decimal(100)
const AMOUNT_MAX = QUOTA_MAX
const SMALLEST_MONEY_CENTS = 1n

/** The quota and the price of a top-up. */
interface Quote {
  readonly quota: Quota
  readonly moneyCents: number
}

/**
 * Prices an amount for a user of the group, in whole dollars, or in quota units when the options display units.
 * Computes exactly and rounds once, halves up. Throws a `top_up.*` error when the amount is out of bounds.
 */
export function quoteTopUp(amount: number, group: string, values: OptionValues): Quote {
  const { MinTopUp, QuotaPerUnit, Price, DisplayInCurrencyEnabled: isInDollars } = values
  const least = isInDollars ? MinTopUp : Math.ceil(MinTopUp * QuotaPerUnit)
  if (!Number.isInteger(amount)) throw topUpError('not_whole')
  if (amount < least) throw topUpError('too_little', { least })
  const units = isInDollars ? amount * QuotaPerUnit : amount
  if (amount > AMOUNT_MAX || units > QUOTA_MAX) throw topUpError('too_much')
  const price = [Price, groupRatio(values, group)].map(decimal).reduce(multiply, decimal(amount))
  const cents = divide(multiply(price, CENTS), decimal(isInDollars ? 1 : QuotaPerUnit))
  if (cents < SMALLEST_MONEY_CENTS) throw topUpError('money_too_little')
  if (cents > BigInt(Number.MAX_SAFE_INTEGER)) throw topUpError('too_much')
  const perAmount = isInDollars ? decimal(QuotaPerUnit) : decimal(1)
  return { quota: roundToQuota(multiply(decimal(amount), perAmount)), moneyCents: Number(cents) }
}

/** A missing ratio and 0 both mean 1. */
function groupRatio({ TopupGroupRatio: ratios }: OptionValues, group: string): number {
  return (Object.hasOwn(ratios, group) ? ratios[group] : undefined) || 1
}

/** Divides two positive decimals and rounds to an integer, halves up. */
function divide(a: Decimal, b: Decimal): bigint {
  const dividend = a.digits * 10n ** BigInt(b.scale)
  const divisor = b.digits * 10n ** BigInt(a.scale)
  return (dividend * 2n + divisor) / (divisor * 2n)
}
