import type { CatalogueModel, ContextTier, TokenPrices } from '#contract/catalogue/catalogue.ts'
import { type Decimal, decimal, multiply } from '../../core/money.ts'
import type { Usage } from '../../core/usage.ts'
import { catalogueModels, findModel } from './catalogue.ts'

export type TokenBucket = Exclude<keyof Usage, 'images' | 'webSearches'>

/** The vendor's price of each bucket in dollars per million tokens; undefined where the vendor names none. */
export type BucketPrices = Readonly<Record<TokenBucket, number | undefined>>

/** What a vendor asks for a model. */
export interface ListPrice {
  /** Dollars per request or picture, of models without a price for tokens. */
  readonly call?: number
  readonly tokens?: BucketPrices
  /** Dollars per picture, where no tokens are counted for it. */
  readonly image?: number
  /** Prices of long prompts, by rising length. */
  readonly tiers: readonly { readonly above: number; readonly tokens: BucketPrices }[]
}

/** Finds list prices. A changed catalogue is a new function. */
export type ListPrices = (model: string) => ListPrice | undefined

/** Units for one token at a dollar per million. */
const UNITS_PER_TOKEN_AT_DOLLAR = decimal(0.5)
/** Dollars per million input tokens at a ratio of 1. */
const DOLLARS_AT_RATIO_ONE = 2
/** Ratios are written with this many digits, so that binary fractions do not show as 0.6249999999999999. */
const RATIO_DIGITS = 9
const ROUNDING = 10 ** (1 - RATIO_DIGITS)

/** Exact, unlike a ratio: 2.50 per million is no decimal multiple of 0.30. */
export const unitsPerToken = (dollarsPerMillion: number): Decimal =>
  multiply(decimal(dollarsPerMillion), UNITS_PER_TOKEN_AT_DOLLAR)

/** The ratio that stands for a price in the options. */
export const toModelRatio = (dollarsPerMillion: number): number =>
  roundRatio(dollarsPerMillion / DOLLARS_AT_RATIO_ONE)
export const roundRatio = (ratio: number): number => Number(ratio.toPrecision(RATIO_DIGITS))

/** Whether a configured ratio is the rounded form of this one, and thus means the vendor's exact price. */
export const isRoundedForm = (configured: number, exact: number): boolean =>
  Math.abs(configured - exact) <= exact * ROUNDING

/** The bundled catalogue's list price. */
export function findListPrice(name: string): ListPrice | undefined {
  const model = findModel(name)
  return model && listPrice(model)
}

const cache = new WeakMap<CatalogueModel, ListPrice>()

function listPrice(model: CatalogueModel): ListPrice | undefined {
  const cached = cache.get(model)
  if (cached) return cached
  const price = toListPrice(model)
  if (price) cache.set(model, price)
  return price
}

function toListPrice(model: CatalogueModel): ListPrice | undefined {
  const { kind, prices } = model
  const { image, request, tiers = [] } = prices
  const tokens = toBuckets(model, prices)
  if (tokens.input !== undefined)
    return {
      tokens,
      ...(kind === 'image' && image !== undefined && { image }),
      tiers: tiers.map(tier => ({ above: tier.above, tokens: toBuckets(model, tier) })),
    }
  const call = kind === 'image' ? (image ?? request) : request
  return call === undefined ? undefined : { call, tiers: [] }
}

function toBuckets({ kind, prices }: CatalogueModel, at: TokenPrices | ContextTier): BucketPrices {
  const { input, cached_input, cache_write, cache_write_1h, audio_input, audio_output, image_input } = at
  // What these models produce is counted as output.
  const made = { image: at.image_output, speech: audio_output, music: audio_output }
  const output = (Object.hasOwn(made, kind) ? Reflect.get(made, kind) : undefined) ?? at.output
  // The sources say 0 of models without output, whose price for it is undefined rather than nothing.
  const hasOutput = output > 0 || input === 0
  return {
    // Vendors that charge for characters count them as tokens.
    input: input ?? (at === prices ? prices.characters : undefined),
    cachedInput: cached_input,
    cacheWrite: cache_write,
    cacheWriteHour: cache_write_1h,
    audioInput: audio_input,
    imageInput: image_input,
    output: hasOutput ? output : undefined,
    reasoning: at.reasoning,
    audioOutput: audio_output,
  }
}

type RatioTable = Readonly<Record<string, number>>

interface ListRatios {
  readonly modelRatio: RatioTable
  readonly modelPrice: RatioTable
  readonly completionRatio: RatioTable
  readonly cacheRatio: RatioTable
  readonly createCacheRatio: RatioTable
}

/** The list prices of all known models as the ratios of the options. */
export function catalogueRatios(): ListRatios {
  const priced = [...catalogueModels].flatMap(([name, model]) => {
    const price = listPrice(model)
    return price ? [{ name, price }] : []
  })
  const relative = (bucket: TokenBucket): RatioTable =>
    collect(priced, ({ tokens }) => {
      const price = tokens?.[bucket]
      return price === undefined || !tokens?.input ? undefined : roundRatio(price / tokens.input)
    })
  return {
    modelRatio: collect(priced, ({ tokens }) =>
      tokens?.input === undefined ? undefined : toModelRatio(tokens.input),
    ),
    modelPrice: collect(priced, ({ call }) => call),
    completionRatio: relative('output'),
    cacheRatio: relative('cachedInput'),
    createCacheRatio: relative('cacheWrite'),
  }
}

const collect = (
  priced: readonly { readonly name: string; readonly price: ListPrice }[],
  read: (price: ListPrice) => number | undefined,
): RatioTable =>
  Object.fromEntries(
    priced.flatMap(({ name, price }) => {
      const figure = read(price)
      return figure === undefined ? [] : [[name, figure] as const]
    }),
  )
