import type { Hold, HoldRequest, Ledger } from '../../ledger/ledger.ts'
import { getPrice, holdAmount, type Price } from '../../ledger/pricing/price.ts'
import type { Caller, RelayRequest, RelaySettings, SettingsReader } from '../types.ts'

/** Money reserved for a request, and the price that it was estimated with. */
export interface Reservation {
  readonly hold: Hold
  readonly price: Price
  /** Output tokens that the hold covers. */
  readonly outputTokens: number
}

/** A reservation that is not made yet. */
export interface HoldEstimate extends Omit<Reservation, 'hold'> {
  readonly hold: HoldRequest
}

/** Reserves the estimated amount. Throws GatewayError when the wallet or the token cannot afford it. */
export async function reserve(
  estimate: HoldEstimate,
  { ledger }: { readonly ledger: Pick<Ledger, 'reserve'> },
): Promise<Reservation> {
  return { ...estimate, hold: await ledger.reserve(estimate.hold) }
}

/** Estimates the most that the request can cost. Throws GatewayError `model_price_missing` when the model has no price. */
export function estimateHold(
  request: RelayRequest,
  settings: SettingsReader<'preConsumedTokens' | 'prices' | 'userConcurrency'>,
): HoldEstimate {
  const { caller, requestId, model, inputTokens, imageUnits } = request
  const { prices, preConsumedTokens, userConcurrency } = settings.current()
  const price = getPrice(prices, { model, group: caller.group })
  const outputTokens = request.maxOutputTokens ?? preConsumedTokens
  const amount = holdAmount(price, { inputTokens, outputTokens, images: imageUnits })
  return { hold: { requestId, ...toPayer(caller, { userConcurrency }), amount }, price, outputTokens }
}

/** Who pays, with the limits on concurrent holds. */
export function toPayer(
  { userId, token }: Caller,
  { userConcurrency }: Pick<RelaySettings, 'userConcurrency'>,
): Omit<HoldRequest, 'requestId' | 'amount'> {
  const limits = { user: userConcurrency, token: token?.concurrency ?? 0 }
  const payer = { userId, tokenId: token?.id ?? null, isTokenLimited: token?.isLimited ?? false }
  return limits.user > 0 || limits.token > 0 ? { ...payer, limits } : payer
}
