import { z } from 'zod'
import { type ProviderRequestContext, requestProvider } from '#server/http-client/provider-request.ts'

const CODE_FOUND = 1
const STATUS_PAID = 1

export interface EasyPayMerchant {
  readonly payAddress: string
  readonly id: string
  readonly key: string
}

/** An order in the books of the payment provider. */
export interface PaymentOrder {
  readonly isPaid: boolean
  /** The amount as the provider writes it. */
  readonly money: string
  /** Payment method. */
  readonly type: string
  readonly merchantId: string
}

const OrderJson = z.object({
  code: z.coerce.number(),
  status: z.coerce.number(),
  out_trade_no: z.coerce.string(),
  money: z.coerce.string(),
  type: z.coerce.string(),
  pid: z.coerce.string(),
})

/**
 * Looks up an order at the payment provider; undefined when the provider does not know it. The protocol requires the
 * merchant key in the query. Throws party.unreachable.
 */
export async function fetchPaymentOrder(
  tradeNo: string,
  { payAddress, id, key }: EasyPayMerchant,
  context: ProviderRequestContext,
): Promise<PaymentOrder | undefined> {
  const query = new URLSearchParams({ act: 'order', pid: id, key, out_trade_no: tradeNo })
  const url = `${payAddress}/api.php?${query}`
  const order = OrderJson.safeParse(
    await requestProvider({ provider: 'EasyPay', method: 'GET', url, headers: {} }, context),
  )
  if (!order.success || order.data.code !== CODE_FOUND || order.data.out_trade_no !== tradeNo)
    return undefined
  const { status, money, type, pid: merchantId } = order.data
  return { isPaid: status === STATUS_PAID, money, type, merchantId }
}
