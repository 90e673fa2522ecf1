import { addQuota, type Quota, subtractQuota } from '../../core/money.ts'
import type { Usage } from '../../core/usage.ts'
import type { Hold, HoldRequest, Ledger } from '../../ledger/ledger.ts'
import { calculateCharge, getPrice, holdAmount, type Price } from '../../ledger/pricing/price.ts'
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

/** The payer, with the limits on concurrent holds. */
export function toPayer(
  { userId, token }: Caller,
  { userConcurrency }: Pick<RelaySettings, 'userConcurrency'>,
): Omit<HoldRequest, 'requestId' | 'amount'> {
  const limits = { user: userConcurrency, token: token?.concurrency ?? 0 }
  const payer = { userId, tokenId: token?.id ?? null, isTokenLimited: token?.isLimited ?? false }
  return limits.user > 0 || limits.token > 0 ? { ...payer, limits } : payer
}

/** Keeps a stream's hold ahead of what it delivers. */
export interface HoldExtender {
  /** Whether the hold already covers this many output tokens. */
  isWithinHold(outputTokens: number): boolean
  /** Extends the hold to this many output tokens. False when the payer cannot afford it. */
  extendTo(outputTokens: number): Promise<boolean>
  /** Extends the hold to cover all of the usage so far, if necessary. False when the payer cannot afford it. */
  extendToUsage(usage: Usage): Promise<boolean>
  /** The hold with all extensions so far. */
  hold(): Hold
}

/** `inputTokens`: the estimate that the reservation was made with. */
export function createHoldExtender(
  reservation: Reservation,
  inputTokens: number,
  ledger: Pick<Ledger, 'extend'>,
): HoldExtender {
  const { price } = reservation
  let { hold, outputTokens: reservedTokens } = reservation

  const raiseTo = async (amount: Quota): Promise<boolean> => {
    if (amount <= hold.amount) return true
    const extended = await ledger.extend(hold, subtractQuota(amount, hold.amount))
    if (!extended) return false
    hold = extended
    return true
  }

  const cover = async (outputTokens: number): Promise<boolean> => {
    if (!(await raiseTo(holdAmount(price, { inputTokens, outputTokens })))) return false
    reservedTokens = outputTokens
    return true
  }

  return {
    isWithinHold: outputTokens => outputTokens <= reservedTokens,
    async extendTo(outputTokens) {
      // Doubling keeps extensions rare; the exact amount is for payers who cannot afford that.
      return (await cover(Math.max(outputTokens, reservedTokens * 2))) || (await cover(outputTokens))
    },
    async extendToUsage(usage) {
      const { amount } = calculateCharge(price, usage)
      return (
        amount <= hold.amount || (await raiseTo(addQuota(amount, hold.amount))) || (await raiseTo(amount))
      )
    },
    hold: () => hold,
  }
}
