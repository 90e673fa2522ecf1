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
 * Sets the worst-case price aside before the first upstream byte. Throws GatewayError when the model has no price or
 * wallet or token cannot afford it, or as many requests of theirs are under way as may be.
 */
export function reserve(order: Order, gateway: Gateway): Promise<Reserved> {
  const { caller, requestId, model, inputTokens, images } = order
  const settings = gateway.settings.current()
  const price = priceOf(settings.prices, { model, group: caller.group })
  const outputTokens = order.maxOutputTokens ?? settings.preConsumedTokens
  const amount = holdAmount(price, { inputTokens, outputTokens, images })
  return gateway.ledger
    .reserve({ requestId, ...holderOf(caller, settings), amount })
    .then(hold => ({ hold, price, outputTokens }))
}
