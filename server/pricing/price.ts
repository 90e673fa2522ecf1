import { type Decimal, decimal, isLarger, isZero, multiplyBy } from '../core/money.ts'
import { INPUT_BUCKETS, OUTPUT_BUCKETS, type SearchContext, type TokenBucket } from '../core/usage.ts'

/** What one model costs before the factor of a group: exact decimals in units. The only shape of a price inside the gateway. */
export interface Price {
  /** Tokens and calls cost nothing. Searches and tools may still have a price. */
  readonly isFree: boolean
  /** Units of a call or an image. Set where a call price covers everything; `base` is then zero. */
  readonly call?: Decimal
  readonly base: Rates
  /** By service tier. */
  readonly tiers: ReadonlyMap<string, Rates>
  /** Factors on all prices of tokens. */
  readonly regions: Readonly<Record<string, number>>
  /** Units of a second of sound whose tokens the provider does not count. */
  readonly second?: Decimal
  readonly tools: ToolPrices
  /** The longest response in tokens. */
  readonly outputTokensMax: number
  /** The figures behind the price, as receipts show them. `model_price` is -1 for models that are priced by token. */
  readonly figures: Readonly<Record<string, number>>
}

/** What the buckets of a prompt cost. A bucket without a price of its own costs what its parent costs. */
export interface Rates {
  /** The rates apply to prompts of more tokens than this. */
  readonly above: number
  /** `images` applies to images for which no tokens are counted. */
  readonly costs: Readonly<Record<TokenBucket | 'images', Rate>>
  /** Units of one token of the most expensive input or output bucket. */
  readonly highest: { readonly input: Decimal; readonly output: Decimal }
  /** By rising length. None is below the rates of shorter prompts. */
  readonly longPrompts: readonly Rates[]
}

/** The price of one item. */
export interface Rate {
  readonly units: Decimal
  /** The same in input tokens. */
  readonly ratio: number
  /** Whether `units` is the provider's exact price, which the ratio may only approach. */
  readonly isListed: boolean
}

/** Units of what the tools of a provider do. What has no price is free, as it is at the provider. */
export interface ToolPrices {
  readonly search?: Readonly<Record<SearchContext, Decimal>>
  /** A request pays once, however often it searched. */
  readonly isSearchPerPrompt: boolean
  readonly calls: ReadonlyMap<string, Decimal>
  readonly images: readonly {
    readonly size?: string | undefined
    readonly quality?: string | undefined
    readonly units: Decimal
  }[]
  /** The price of another model that served a part of the request, as its provider names it. */
  readonly findPrice: (model: string) => Price | undefined
  /** The provider gives the tokens of the model away, but not its tools. */
  readonly areSoldAlone: boolean
}

/** The price of a model for a group. */
export interface GroupPrice {
  readonly model: Price
  readonly factor: Decimal
  /** As `Price.isFree`, also where the factor makes it so. */
  readonly isFree: boolean
  /** Those of the model and `group_ratio`. */
  readonly figures: Price['figures']
}

/** The price at a factor. Throws a RangeError for one that is not finite. */
export function atFactor(model: Price, ratio: number): GroupPrice {
  const factor = decimal(ratio)
  const isFree = model.isFree || isZero(factor)
  return { model, factor, isFree, figures: { ...model.figures, group_ratio: ratio } }
}

export const TOKEN_BUCKETS = [...INPUT_BUCKETS, ...OUTPUT_BUCKETS] as const

/** The bucket whose price a bucket without a price of its own shares. */
export const PARENTS: Readonly<Partial<Record<TokenBucket, TokenBucket>>> = {
  cachedInput: 'input',
  cacheWrite: 'input',
  cacheWriteHour: 'cacheWrite',
  audioInput: 'input',
  imageInput: 'input',
  cachedAudio: 'cachedInput',
  cachedImage: 'cachedInput',
  reasoning: 'output',
  audioOutput: 'output',
  imageOutput: 'output',
}

const ZERO = decimal(0)
/** Ratios are written with this many digits, so that binary fractions do not show as 0.6249999999999999. */
export const RATIO_DIGITS = 9

export const roundRatio = (ratio: number): number => Number(ratio.toPrecision(RATIO_DIGITS))

export const larger = (a: Decimal, b: Decimal): Decimal => (isLarger(a, b) ? a : b)

/** Rates without those of long prompts. */
export function toRates(costs: Rates['costs'], above = 0): Rates {
  const highestOf = (buckets: readonly TokenBucket[]): Decimal =>
    buckets.map(bucket => costs[bucket].units).reduce(larger, ZERO)
  const highest = { input: highestOf(INPUT_BUCKETS), output: highestOf(OUTPUT_BUCKETS) }
  return { above, costs, highest, longPrompts: [] }
}

/** The rates that a prompt of this length pays. */
export const ratesAt = (rates: Rates, promptTokens: number): Rates =>
  rates.longPrompts.length === 0
    ? rates
    : (rates.longPrompts.findLast(({ above }) => promptTokens > above) ?? rates)

/** The factor of a region; undefined where the provider asks no more for it. */
export const regionFactor = ({ regions }: Price, region: string): number | undefined =>
  Object.hasOwn(regions, region) ? regions[region] : undefined

/** By price: those of holds in a tier and at a factor, of which a price has a handful. */
const dearestPrices = new WeakMap<Price, Map<string, Price>>()

/**
 * The price to hold for: the dearest of the ways in which the request may be served. A provider may serve it in the default
 * tier, whichever it asks for. `regions`: those of the channels that may serve it.
 */
export function dearestPrice(
  price: GroupPrice,
  {
    serviceTier,
    regions,
  }: { readonly serviceTier?: string | undefined; readonly regions: readonly string[] },
): GroupPrice {
  const { model } = price
  const tier = serviceTier === undefined ? undefined : model.tiers.get(serviceTier)
  const factor = regions.reduce((most, region) => Math.max(most, regionFactor(model, region) ?? 1), 1)
  if (!tier && factor === 1) return price
  const key = `${tier ? serviceTier : ''} ${factor}`
  const known = dearestPrices.get(model) ?? new Map<string, Price>()
  dearestPrices.set(model, known)
  const dearest = known.get(key) ?? { ...model, base: dearestRates(model.base, tier ?? model.base, factor) }
  known.set(key, dearest)
  return { ...price, model: dearest }
}

/** The dearest that both may cost, times a factor. */
function dearestRates(base: Rates, tier: Rates, factor: number): Rates {
  const dearest = (a: Rates, b: Rates, above: number): Rates => ({
    above,
    costs: {
      ...a.costs,
      images: { ...a.costs.images, units: multiplyBy(a.costs.images.units, factor) },
    },
    highest: {
      input: multiplyBy(larger(a.highest.input, b.highest.input), factor),
      output: multiplyBy(larger(a.highest.output, b.highest.output), factor),
    },
    longPrompts: [],
  })
  const lengths = new Set([...base.longPrompts, ...tier.longPrompts].map(({ above }) => above))
  return {
    ...dearest(base, tier, 0),
    longPrompts: [...lengths]
      .toSorted((a, b) => a - b)
      .map(above => dearest(ratesAt(base, above + 1), ratesAt(tier, above + 1), above)),
  }
}

/** Whether output costs more in the tier than in the default one. */
export function isDearerTier({ model, factor }: GroupPrice, serviceTier: string | undefined): boolean {
  const tier = serviceTier === undefined ? undefined : model.tiers.get(serviceTier)
  return tier !== undefined && !isZero(factor) && isLarger(tier.highest.output, model.base.highest.output)
}
