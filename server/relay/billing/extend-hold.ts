import { addQuota, type Quota, subtractQuota } from '../../core/money.ts'
import type { Usage } from '../../core/usage.ts'
import type { Hold, Ledger } from '../../ledger/ledger.ts'
import { chargeOf, holdAmount, type Price } from '../../ledger/price.ts'

/** Keeps a stream's hold ahead of what it delivers. */
export interface HoldExtender {
  /** This many output tokens may be delivered already. */
  isWithinHold(outputTokens: number): boolean
  /** Whether they may be, once more is reserved. */
  extendTo(outputTokens: number): Promise<boolean>
  /** As both, for what was used so far, whatever it is; a call price is covered by itself. */
  extendToUsage(usage: Usage): Promise<boolean>
  /** As it stands after the extensions so far. */
  hold(): Hold
}

interface HoldExtenderOptions {
  readonly hold: Hold
  readonly price: Price
  readonly inputTokens: number
  /** What the hold covers at first, and the least step by which it grows. */
  readonly outputTokens: number
}

export function createHoldExtender(start: HoldExtenderOptions, ledger: Pick<Ledger, 'extend'>): HoldExtender {
  const { price, inputTokens } = start
  let { hold, outputTokens: covered } = start

  const raise = async (needed: Quota): Promise<boolean> => {
    if (needed <= hold.amount) return true
    const extended = await ledger.extend(hold, subtractQuota(needed, hold.amount))
    if (!extended) return false
    hold = extended
    return true
  }

  const reach = async (outputTokens: number): Promise<boolean> => {
    const needed = holdAmount(price, { inputTokens, outputTokens })
    if (!(await raise(needed))) return false
    covered = outputTokens
    return true
  }

  return {
    isWithinHold: outputTokens => outputTokens <= covered,
    async extendTo(outputTokens) {
      return (await reach(Math.max(outputTokens, covered * 2))) || (await reach(outputTokens))
    },
    async extendToUsage(usage) {
      const { amount } = chargeOf(price, usage)
      return amount <= hold.amount || (await raise(addQuota(amount, hold.amount))) || (await raise(amount))
    },
    hold: () => hold,
  }
}
