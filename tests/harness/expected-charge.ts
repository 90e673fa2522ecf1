/** Prices in thousandths, so that the sum can be done in whole numbers, by another way than the gateway's. */
export interface PriceInThousandths {
  readonly model: number
  readonly completion: number
  readonly cached: number
  readonly cacheWrite: number
  readonly group: number
}

export interface Tokens {
  /** All of them, those from the cache and those written to it included. */
  readonly prompt: number
  readonly completion: number
  readonly cached?: number
  readonly cacheWrite?: number
}

const THOUSAND = 1000n
const LEAST_CHARGE = 1n

/**
 * The specification's formula: group ratio × model ratio × (prompt + completion × completion ratio), with the cache's
 * tokens at their own ratios; rounded once, halves up; at least one unit.
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

/** The options that make a model cost this much for the group `default`. */
export const priceOptions = (model: string, price: PriceInThousandths) => ({
  ModelRatio: { [model]: price.model / 1000 },
  CompletionRatio: { [model]: price.completion / 1000 },
  CacheRatio: { [model]: price.cached / 1000 },
  CreateCacheRatio: { [model]: price.cacheWrite / 1000 },
  GroupRatio: { default: price.group / 1000 },
})
