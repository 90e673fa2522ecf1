import type { Hold } from '../ledger/ledger.ts'
import { holdAmount, type Price, priceOf } from '../ledger/price.ts'
import type { Gateway } from './gateway.ts'
import type { Order } from './order.ts'

export interface Reserved {
  readonly hold: Hold
  readonly price: Price
  /** Output tokens that the hold covers. */
  readonly outputTokens: number
}

/**
 * Sets the worst-case price aside before the first upstream byte. Throws GatewayError when the model has no price or
 * wallet or token cannot afford it.
 */
export async function reserve(order: Order, gateway: Gateway): Promise<Reserved> {
  const { caller, requestId, model, inputTokens, images } = order
  const { prices, preConsumedTokens } = gateway.settings.current()
  const price = priceOf(prices, { model, group: caller.group })
  const outputTokens = order.maxOutputTokens ?? preConsumedTokens
  const hold = await gateway.ledger.reserve({
    requestId,
    userId: caller.userId,
    tokenId: caller.token?.id ?? null,
    isTokenLimited: caller.token?.isLimited ?? false,
    amount: holdAmount(price, { inputTokens, outputTokens, images }),
  })
  return { hold, price, outputTokens }
}
