import type { CatalogueModel } from '#contract/catalogue/catalogue.ts'
import type { ContextTier, ExtraPrices, PriceList, TokenPrices } from '#contract/catalogue/price-list.ts'
import { type Decimal, decimal, multiply } from '../core/money.ts'
import type { TokenUsage } from '../core/usage.ts'
import { catalogueModels, findModel } from './catalogue.ts'

export type TokenBucket = keyof TokenUsage

/** The provider's price of each bucket in dollars per million tokens; undefined where the provider names none. */
export type BucketPrices = Readonly<Record<TokenBucket, number | undefined>>

/** What a provider asks for a model. */
export interface ListPrice {
  /** Dollars per request or picture, of models without a price for tokens. */
  readonly call?: number
  readonly tokens?: BucketPrices
  /** Dollars per picture, where no tokens are counted for it. */
  readonly image?: number
  /** Dollars per second of sound, where the provider counts no tokens for it. */
  readonly second?: number
  /** Prices of long prompts, by rising length. */
  readonly tiers: readonly LongPromptPrices[]
  readonly serviceTiers: Readonly<Record<string, TierPrices>>
  /** Prices for what is not counted in tokens, and for other ways to be served. */
  readonly extras: ExtraPrices
}

interface LongPromptPrices {
  readonly above: number
  readonly tokens: BucketPrices
}

/** What a provider asks for tokens in a service tier. */
export interface TierPrices {
  readonly tokens: BucketPrices
  readonly tiers: readonly LongPromptPrices[]
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

/** Whether a configured ratio is the rounded form of this one, and thus means the provider's exact price. */
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

/** The list price of a kind of model; undefined where the prices say neither what tokens nor what requests cost. */
export function toListPrice(model: Pick<CatalogueModel, 'kind' | 'prices'>): ListPrice | undefined {
  const { kind, prices } = model
  const { image, request, second_input } = prices
  const base = toTierPrices(kind, prices)
  const { tokens, tiers } = base
  const common = { tiers, serviceTiers: toServiceTiers(model, base), extras: toExtras(prices) }
  const second = kind === 'transcription' ? second_input : undefined
  if (tokens.input !== undefined)
    return {
      tokens,
      ...(kind === 'image' && image !== undefined && { image }),
      ...(second && { second }),
      ...common,
    }
  if (second) return { tokens: { ...tokens, input: toTokenPrice(second) }, second, ...common }
  const call = kind === 'image' ? (image ?? request) : request
  return call === undefined ? undefined : { call, ...common }
}

/** A tier whose price of pictures or sound is not listed raises it as it raises that of input. */
function toServiceTiers(
  { kind, prices }: Pick<CatalogueModel, 'kind' | 'prices'>,
  base: TierPrices,
): ListPrice['serviceTiers'] {
  const made = MADE[kind]
  return Object.fromEntries(
    Object.entries(prices.service_tiers ?? {}).map(([name, rates]) => {
      const tier = toTierPrices(kind, rates)
      const { input, output } = base.tokens
      if (!made || prices[made] === undefined || rates[made] !== undefined || !input || !output)
        return [name, tier] as const
      const raised = roundRatio((output * (tier.tokens.input ?? input)) / input)
      return [name, { ...tier, tokens: { ...tier.tokens, output: raised } }] as const
    }),
  )
}

/** What models of these kinds produce is counted as output. */
const MADE: Partial<Record<CatalogueModel['kind'], 'image_output' | 'audio_output'>> = {
  image: 'image_output',
  speech: 'audio_output',
  music: 'audio_output',
}

const toExtras = ({ service_tiers, regions, search, tool_calls, images }: PriceList): ExtraPrices => ({
  ...(service_tiers && { service_tiers }),
  ...(regions && { regions }),
  ...(search && { search }),
  ...(tool_calls && { tool_calls }),
  ...(images && { images }),
})

/** Where a provider reports no seconds, sound counts as a thousand tokens a minute. */
const TOKENS_PER_SECOND = 1_000 / 60
const MILLION = 1_000_000

const toTokenPrice = (dollarsPerSecond: number): number =>
  roundRatio((dollarsPerSecond * MILLION) / TOKENS_PER_SECOND)

/** `prices`: those of a model, or of one of its service tiers. */
export function toTierPrices(
  kind: CatalogueModel['kind'],
  prices: TokenPrices & { readonly tiers?: readonly ContextTier[] | undefined },
): TierPrices {
  const { tiers = [] } = prices
  return {
    tokens: toBuckets(kind, prices),
    tiers: tiers.map(tier => ({ above: tier.above, tokens: toBuckets(kind, tier) })),
  }
}

function toBuckets(
  kind: CatalogueModel['kind'],
  at: TokenPrices & Pick<PriceList, 'characters'>,
): BucketPrices {
  const { input, cached_input, cache_write, cache_write_1h, audio_input, audio_output, image_input } = at
  const made = MADE[kind]
  const output = (made && at[made]) ?? at.output ?? 0
  // The sources say 0 of models without output, whose price for it is undefined rather than nothing.
  const hasOutput = output > 0 || input === 0
  return {
    // Providers that charge for characters count them as tokens.
    input: input ?? at.characters,
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
