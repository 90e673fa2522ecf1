import type { Hold, HoldWish } from '../../ledger/ledger.ts'
import { holdAmount, type Price, priceOf } from '../../ledger/price.ts'
import type { RelayContext, RelaySettings } from '../relay-context.ts'
import type { Caller } from '../request/caller.ts'
import type { RelayRequest } from '../request/relay-request.ts'

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
export function estimateHold(order: RelayRequest, gateway: Pick<RelayContext, 'settings'>): Reserved {
  const { caller, requestId, model, inputTokens, imageUnits } = order
  const settings = gateway.settings.current()
  const price = priceOf(settings.prices, { model, group: caller.group })
  const outputTokens = order.maxOutputTokens ?? settings.preConsumedTokens
  const amount = holdAmount(price, { inputTokens, outputTokens, images })
  return { hold: { requestId, ...toPayer(caller, settings), amount }, price, outputTokens }
}

/** Whose money a request holds, and how many requests of theirs may be under way with it. */
export function toPayer(
  { userId, token }: Caller,
  { userConcurrency }: RelaySettings,
): Omit<HoldWish, 'requestId' | 'amount'> {
  const limits = { user: userConcurrency, token: token?.concurrency ?? 0 }
  const holder = { userId, tokenId: token?.id ?? null, isTokenLimited: token?.isLimited ?? false }
  return limits.user > 0 || limits.token > 0 ? { ...holder, limits } : holder
}
