/** Prices in thousandths, so that the charge can be computed in integers, independently of the gateway's code. */
export interface PriceInThousandths {
  readonly model: number
  readonly completion: number
  readonly cached: number
  readonly cacheWrite: number
  readonly group: number
}

export interface Tokens {
  /** All prompt tokens, including cache reads and cache writes. */
  readonly prompt: number
  readonly completion: number
  readonly cached?: number
  readonly cacheWrite?: number
}

const THOUSAND = 1000n
const LEAST_CHARGE = 1n

/**
 * The formula of the specification: group ratio × model ratio × (prompt + completion × completion ratio), with cached
 * tokens at their own ratios, rounded once, half up, with a minimum of one unit.
 */
export function expectedCharge(price: PriceInThousandths, tokens: Tokens): number {
  const { prompt, completion, cached = 0, cacheWrite = 0 } = tokens
  const weighed =
    BigInt(prompt - cached - cacheWrite) * THOUSAND +
    BigInt(cached) * BigInt(price.cached) +
    BigInt(cacheWrite) * BigInt(price.cacheWrite) +
    BigInt(completion) * BigInt(price.completion)
  const scale = THOUSAND ** 3n
  const exact = weighed * BigInt(price.model) * BigInt(price.group)
  const rounded = (exact * 2n + scale) / (scale * 2n)
  return Number(rounded > LEAST_CHARGE ? rounded : LEAST_CHARGE)
}

/** Options that set this price for the group `default`. */
export const priceOptions = (model: string, price: PriceInThousandths) => ({
  ModelRatio: { [model]: price.model / 1000 },
  CompletionRatio: { [model]: price.completion / 1000 },
  CacheRatio: { [model]: price.cached / 1000 },
  CreateCacheRatio: { [model]: price.cacheWrite / 1000 },
  GroupRatio: { default: price.group / 1000 },
})
