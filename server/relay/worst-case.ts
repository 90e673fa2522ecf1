import type { Hold } from '../ledger/ledger.ts'
import { holdAmount, type Price, priceOf } from '../ledger/price.ts'
import type { Gateway } from './gateway.ts'
import { holderOf } from './holder-of.ts'
import type { Order } from './order.ts'

export interface Reserved {
  readonly hold: Hold
  readonly price: Price
  /** Output tokens that the hold covers. */
  readonly outputTokens: number
}

/**
 * What is to be set aside before the first upstream byte: the most that the request can cost. Throws GatewayError when
 * the model has no price.
 */
export function worstCase(order: Order, gateway: Pick<Gateway, 'settings'>): Reserved {
  const { caller, requestId, model, inputTokens, images } = order
  const settings = gateway.settings.current()
  const price = priceOf(settings.prices, { model, group: caller.group })
  const outputTokens = order.maxOutputTokens ?? settings.preConsumedTokens
  const amount = holdAmount(price, { inputTokens, outputTokens, images })
  return { hold: { requestId, ...holderOf(caller, settings), amount }, price, outputTokens }
}
