import type { ExtraPrices } from '#contract/catalogue/price-list.ts'
import { type Decimal, multiplyBy } from '../core/money.ts'
import { type BucketRates, larger, scaleRates } from './bucket-rates.ts'
import { type BucketPrices, type TierPrices, toTierPrices } from './list-price.ts'

/** The rates of prompts of more tokens than `above`. None is below the rates of shorter prompts. */
export interface LongPromptRates extends BucketRates {
  readonly above: number
}

/** What tokens cost in one service tier. */
export interface TierRates extends BucketRates {
  /** By rising length. */
  readonly longPrompts: readonly LongPromptRates[]
}

interface ServiceTierQuery {
  readonly base: TierRates
  readonly listed: BucketPrices | undefined
  readonly tiers: Readonly<Record<string, TierPrices>>
  /** The administrator's, which replace the provider's. */
  readonly own: ExtraPrices['service_tiers']
  readonly group: Decimal
}

/** The rates by service tier. A tier that lists no lengths of prompts raises its prices as the default tier does. */
export function computeServiceTiers({
  base,
  listed = NO_PRICES,
  tiers,
  own,
  group,
}: ServiceTierQuery): ReadonlyMap<string, TierRates> {
  const rates = new Map<string, TierRates>()
  const add = (name: string, { tokens, tiers: lengths }: TierPrices, mode?: 'own'): void => {
    const scale = (prices: BucketPrices): BucketRates =>
      scaleRates({ base, listed, prices, group, ...(mode && { mode }) })
    const longPrompts =
      lengths.length > 0
        ? lengths.map(({ above, tokens: prices }) => ({ above, ...scale({ ...tokens, ...present(prices) }) }))
        : base.longPrompts.map(long => ({
            above: long.above,
            ...scaleRates({ base: long, listed, prices: tokens, group, mode: 'factor' }),
          }))
    rates.set(name, { ...scale(tokens), longPrompts })
  }
  for (const [name, prices] of Object.entries(own ? {} : tiers)) add(name, prices)
  for (const [name, prices] of Object.entries(own ?? {})) add(name, toTierPrices('chat', prices), 'own')
  return rates
}

const NO_PRICES: BucketPrices = {
  input: undefined,
  cachedInput: undefined,
  cacheWrite: undefined,
  cacheWriteHour: undefined,
  audioInput: undefined,
  imageInput: undefined,
  output: undefined,
  reasoning: undefined,
  audioOutput: undefined,
}

const present = (prices: BucketPrices): Partial<BucketPrices> =>
  Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined))

/** The dearest that both may cost, times a factor. */
export function dearestRates(base: TierRates, tier: TierRates, factor: number): TierRates {
  const lengths = [...base.longPrompts, ...tier.longPrompts].map(({ above }) => above)
  const dearest = (a: BucketRates, b: BucketRates): BucketRates => ({
    costs: {
      ...a.costs,
      images: { ...a.costs.images, units: multiplyBy(a.costs.images.units, factor) },
    },
    highest: {
      input: multiplyBy(larger(a.highest.input, b.highest.input), factor),
      output: multiplyBy(larger(a.highest.output, b.highest.output), factor),
    },
  })
  return {
    ...dearest(base, tier),
    longPrompts: [...new Set(lengths)]
      .toSorted((a, b) => a - b)
      .map(above => ({ above, ...dearest(ratesAbove(base, above + 1), ratesAbove(tier, above + 1)) })),
  }
}

/** The rates that a prompt of this length pays. */
export const ratesAbove = (rates: TierRates, prompt: number): TierRates | LongPromptRates =>
  findLongPrompt(rates, prompt) ?? rates

/** The rates of long prompts, where a prompt of this length pays them. */
export const findLongPrompt = ({ longPrompts }: TierRates, prompt: number): LongPromptRates | undefined =>
  longPrompts.length === 0 ? undefined : longPrompts.findLast(({ above }) => prompt > above)
