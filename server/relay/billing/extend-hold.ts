import { addQuota, type Quota, subtractQuota } from '../../core/money.ts'
import type { Usage } from '../../core/usage.ts'
import type { Hold, Ledger } from '../../ledger/ledger.ts'
import { calculateCharge, holdAmount } from '../../ledger/pricing/price.ts'
import type { Reservation } from './estimate-hold.ts'

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
