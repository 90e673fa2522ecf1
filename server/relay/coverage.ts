import { subtractQuota } from '../kernel/money.ts'
import type { Hold, Ledger } from '../ledger/ledger.ts'
import { holdAmount, type Price } from '../ledger/price.ts'

/** Keeps a stream's hold ahead of what it delivers. */
export interface Coverage {
  /** Whether this many output tokens may be delivered; reserves more first when they are not covered yet. */
  covers(outputTokens: number): Promise<boolean>
  /** As it stands after the extensions so far. */
  hold(): Hold
}

interface CoverageStart {
  readonly hold: Hold
  readonly price: Price
  readonly inputTokens: number
  /** What the hold covers at first, and the least step by which it grows. */
  readonly outputTokens: number
}

export function openCoverage(start: CoverageStart, ledger: Pick<Ledger, 'extend'>): Coverage {
  const { price, inputTokens } = start
  let { hold, outputTokens: covered } = start

  const reach = async (outputTokens: number): Promise<boolean> => {
    const needed = holdAmount(price, { inputTokens, outputTokens })
    if (needed > hold.amount) {
      const extended = await ledger.extend(hold, subtractQuota(needed, hold.amount))
      if (!extended) return false
      hold = extended
    }
    covered = outputTokens
    return true
  }

  return {
    async covers(outputTokens) {
      if (outputTokens <= covered) return true
      return (await reach(Math.max(outputTokens, covered * 2))) || (await reach(outputTokens))
    },
    hold: () => hold,
  }
}
