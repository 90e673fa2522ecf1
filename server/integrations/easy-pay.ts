import { z } from 'zod'
import { askParty, type Outside } from './ask-party.ts'

const party = 'EasyPay'
const FOUND = 1
const PAID = 1

export interface EasyPayMerchant {
  readonly payAddress: string
  readonly id: string
  readonly key: string
}

/** An order as the payment provider has it. */
export interface ProviderOrder {
  readonly isPaid: boolean
  /** As the provider writes it. */
  readonly money: string
  readonly type: string
  readonly merchantId: string
}

const Told = z.object({
  code: z.coerce.number(),
  status: z.coerce.number(),
  out_trade_no: z.coerce.string(),
  money: z.coerce.string(),
  type: z.coerce.string(),
  pid: z.coerce.string(),
})

/**
 * Asks the payment provider what has become of an order. Undefined when it knows no such order. The protocol wants the
 * merchant key in the query. Throws the refusal party.unreachable when nothing readable comes back.
 */
export async function askForOrder(
  tradeNo: string,
  { payAddress, id, key }: EasyPayMerchant,
  outside: Outside,
): Promise<ProviderOrder | undefined> {
  const query = new URLSearchParams({ act: 'order', pid: id, key, out_trade_no: tradeNo })
  const url = `${payAddress}/api.php?${query}`
  const told = Told.safeParse(await askParty({ party, method: 'GET', url, headers: {} }, outside))
  if (!told.success || told.data.code !== FOUND || told.data.out_trade_no !== tradeNo) return undefined
  const { status, money, type, pid: merchantId } = told.data
  return { isPaid: status === PAID, money, type, merchantId }
}
