import { type Decimal, decimal, isLarger, multiply, toNumber } from '../core/money.ts'
import { type BucketPrices, roundRatio, type TokenBucket, unitsPerToken } from './list-price.ts'

export interface BucketCost {
  /** The price of one item of the bucket in input tokens. */
  readonly ratio: number
  /** The same in units: ratio × model ratio × group ratio. */
  readonly units: Decimal
  /** Whether `units` is the provider's exact price instead, which the ratio may only approach. */
  readonly isListed: boolean
}

export interface BucketRates {
  /** Per item of each bucket; `images` applies to images for which no tokens are counted. */
  readonly costs: Readonly<Record<TokenBucket | 'images', BucketCost>>
  /** Units for one token of the most expensive input or output bucket. */
  readonly highest: { readonly input: Decimal; readonly output: Decimal }
}

export const INPUT_BUCKETS = [
  'input',
  'cachedInput',
  'cacheWrite',
  'cacheWriteHour',
  'audioInput',
  'imageInput',
] as const
export const OUTPUT_BUCKETS = ['output', 'reasoning', 'audioOutput'] as const
export const TOKEN_BUCKETS = [...INPUT_BUCKETS, ...OUTPUT_BUCKETS] as const

/** The bucket whose price a bucket without a price of its own shares. */
export const PARENTS: Readonly<Partial<Record<TokenBucket, TokenBucket>>> = {
  cachedInput: 'input',
  cacheWrite: 'input',
  cacheWriteHour: 'cacheWrite',
  audioInput: 'input',
  imageInput: 'input',
  reasoning: 'output',
  audioOutput: 'output',
}

export const larger = (a: Decimal, b: Decimal): Decimal => (isLarger(a, b) ? a : b)

export const ONE = decimal(1)
const ZERO = decimal(0)

/** The rates with the given cost of each bucket. */
export function toBucketRates(costOf: (bucket: TokenBucket) => BucketCost, images: BucketCost): BucketRates {
  const costs = {
    input: costOf('input'),
    cachedInput: costOf('cachedInput'),
    cacheWrite: costOf('cacheWrite'),
    cacheWriteHour: costOf('cacheWriteHour'),
    audioInput: costOf('audioInput'),
    imageInput: costOf('imageInput'),
    output: costOf('output'),
    reasoning: costOf('reasoning'),
    audioOutput: costOf('audioOutput'),
    images,
  }
  const highestOf = (buckets: readonly TokenBucket[]): Decimal =>
    buckets.map(bucket => costs[bucket].units).reduce(larger, ZERO)
  return { costs, highest: { input: highestOf(INPUT_BUCKETS), output: highestOf(OUTPUT_BUCKETS) } }
}

interface ScaledPrices {
  readonly base: BucketRates
  /** The list prices behind `base`. */
  readonly listed: BucketPrices
  /** The list prices that apply instead. */
  readonly prices: BucketPrices
  readonly group: Decimal
  /**
   * `own`: also an administrator's own price gives way to the list price. `factor`: the list prices only say how much
   * dearer or cheaper everything is.
   */
  readonly mode?: 'own' | 'factor'
}

/**
 * The rates at other list prices. Where the base is the provider's price, so is the result; an administrator's own price is
 * multiplied as the provider multiplies his.
 */
export function scaleRates({ base, listed, prices, group, mode }: ScaledPrices): BucketRates {
  const factorOf = (bucket: TokenBucket): Decimal => {
    const [price, usual] = [prices[bucket], listed[bucket]]
    if (price !== undefined && usual) return decimal(roundRatio(price / usual))
    const parent = PARENTS[bucket]
    return parent ? factorOf(parent) : ONE
  }
  const costOf = (bucket: TokenBucket): BucketCost => {
    const { ratio, units, isListed } = base.costs[bucket]
    const parent = PARENTS[bucket]
    const isShared = listed[bucket] === undefined && parent && base.costs[parent].ratio === ratio
    if (isShared && (mode !== 'own' || prices[bucket] === undefined)) return costOf(parent)
    const factor = factorOf(bucket)
    const isExact = mode === 'own' || (isListed && mode !== 'factor')
    const price = isExact ? prices[bucket] : undefined
    return {
      ratio: roundRatio(ratio * toNumber(factor)),
      units: price === undefined ? multiply(units, factor) : multiply(unitsPerToken(price), group),
      isListed,
    }
  }
  return toBucketRates(costOf, base.costs.images)
}
