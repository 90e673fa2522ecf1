import {
  type Decimal,
  decimal,
  isLarger,
  isZero,
  multiply,
  multiplyBy,
  toNumber,
  UNITS_PER_DOLLAR,
} from '../../core/money.ts'
import {
  type BucketPrices,
  isRoundedForm,
  type ListPrice,
  roundRatio,
  type TokenBucket,
  toModelRatio,
  unitsPerToken,
} from './list-price.ts'
import {
  type AudioRatios,
  defaultAudioRatios,
  defaultImageRatio,
  findCompletionRatio,
} from './model-ratios.ts'

export type PriceFigures = Readonly<Record<string, number>>

/** The settings that relate the price of other tokens to that of input. */
export interface RatioTables {
  readonly completionRatio: PriceFigures
  readonly cacheRatio: PriceFigures
  readonly createCacheRatio: PriceFigures
}

interface BucketCost {
  /** The price of one item of the bucket in input tokens. */
  readonly ratio: number
  /** The same in units: ratio × model ratio × group ratio. */
  readonly units: Decimal
  /** Whether `units` is the vendor's exact price instead, which the ratio may only approach. */
  readonly isListed: boolean
}

interface BucketRates {
  /** Per item of each bucket; `images` applies to images for which no tokens are counted. Searches have no price here. */
  readonly costs: Readonly<Record<TokenBucket | 'images', BucketCost>>
  /** Units for one token of the most expensive input or output bucket. */
  readonly highest: { readonly input: Decimal; readonly output: Decimal }
}

/** The rates of prompts of more tokens than `above`. None is below the rates of shorter prompts. */
export interface LongPromptRates extends BucketRates {
  readonly above: number
}

export interface TokenRate extends BucketRates {
  readonly kind: 'tokens'
  /** By rising length. */
  readonly longPrompts: readonly LongPromptRates[]
}

const INPUT_BUCKETS = [
  'input',
  'cachedInput',
  'cacheWrite',
  'cacheWriteHour',
  'audioInput',
  'imageInput',
] as const
const OUTPUT_BUCKETS = ['output', 'reasoning', 'audioOutput'] as const
export const TOKEN_BUCKETS = [...INPUT_BUCKETS, ...OUTPUT_BUCKETS] as const
const PRICED_BY_TOKEN = -1
const CACHE_RATIO = 1
const COMPLETION_RATIO = 1
/** For models that are priced by token but count none for an image: a quarter of a cent per image at ratio 1. */
const TOKENS_PER_IMAGE = 1_250
/** Anthropic charges a quarter more for cache writes (docs.anthropic.com, prompt caching); other vendors charge nothing. */
const CLAUDE_CACHE_WRITE_RATIO = 1.25
/** A cache write for an hour costs twice the input price, 1.6 times that of a write for five minutes (same page). */
const CLAUDE_HOUR_TO_MINUTES = 1.6
const ONE = decimal(1)
const ZERO = decimal(0)

interface TokenFigures {
  readonly modelRatio: number
  readonly completion: number
  readonly cache: number
  readonly cacheWrite: number
  readonly cacheWriteHour: number
  readonly audio: AudioRatios | undefined
  readonly image: number | undefined
  /** The list price, and whether the figure of the input is its figure. */
  readonly list: ListPrice | undefined
  readonly isListed: boolean
}

interface TokenPrice {
  readonly isFree: boolean
  readonly figures: PriceFigures
  readonly rate: TokenRate
}

interface FiguresQuery {
  readonly model: string
  readonly modelRatio: number
  readonly list: ListPrice | undefined
}

interface TokenPriceQuery extends FiguresQuery {
  readonly groupRatio: number
}

/** The figures of the settings; where there is none, those of the list price or of the model's family. */
function findFigures(table: RatioTables, { model, modelRatio, list }: FiguresQuery): TokenFigures {
  const input = list?.tokens?.input
  const isListed = input !== undefined && isRoundedForm(modelRatio, toModelRatio(input))
  const listed = listedRatios(list)
  // A model of another price than the list's is another offer: its family decides first, and no discount is assumed.
  const completion = isListed
    ? (listed.output ?? findCompletionRatio(model))
    : (findCompletionRatio(model) ?? listed.output)
  const cacheWrite =
    findFigure(table.createCacheRatio, model) ?? listed.cacheWrite ?? defaultCacheWriteRatio(model)
  return {
    modelRatio,
    completion: findFigure(table.completionRatio, model) ?? completion ?? COMPLETION_RATIO,
    cache: findFigure(table.cacheRatio, model) ?? (isListed ? listed.cachedInput : undefined) ?? CACHE_RATIO,
    cacheWrite,
    cacheWriteHour: toNumber(multiply(decimal(cacheWrite), decimal(hourToMinutes(model, list)))),
    audio: listedAudio(listed) ?? defaultAudioRatios(model),
    image: listed.imageInput ?? defaultImageRatio(model),
    list,
    isListed,
  }
}

type BucketRatios = Readonly<Partial<Record<TokenBucket, number>>>

/** The list price of each bucket relative to that of input. */
function listedRatios(list: ListPrice | undefined): BucketRatios {
  const { tokens } = list ?? {}
  if (!tokens?.input) return {}
  const { input } = tokens
  return Object.fromEntries(
    TOKEN_BUCKETS.flatMap(bucket => {
      const price = tokens[bucket]
      return price === undefined ? [] : [[bucket, roundRatio(price / input)]]
    }),
  )
}

function listedAudio({ audioInput, audioOutput, output }: BucketRatios): AudioRatios | undefined {
  if (audioInput === undefined && audioOutput === undefined) return undefined
  const input = audioInput ?? 1
  return { input, completion: roundRatio((audioOutput ?? output ?? input) / input) }
}

/** The price of a model that is priced by token. */
export function tokenPrice(table: RatioTables, { groupRatio, ...query }: TokenPriceQuery): TokenPrice {
  const figures = findFigures(table, query)
  const { modelRatio, completion, cache, cacheWrite, cacheWriteHour, audio, image } = figures
  const group = decimal(groupRatio)
  const rates = computeRates(figures, group)
  return {
    isFree: isZero(rates.highest.input) && isZero(rates.highest.output),
    figures: {
      model_price: PRICED_BY_TOKEN,
      model_ratio: modelRatio,
      completion_ratio: completion,
      cache_ratio: cache,
      create_cache_ratio: cacheWrite,
      ...(cacheWriteHour !== cacheWrite && { create_cache_ratio_1h: cacheWriteHour }),
      ...(audio && { audio_ratio: audio.input, audio_completion_ratio: audio.completion }),
      ...(image && { image_ratio: image }),
      group_ratio: groupRatio,
    },
    rate: { kind: 'tokens', ...rates, longPrompts: computeLongPrompts(figures, rates, group) },
  }
}

/** Every bucket at the exact list price where the figures say so, else at its ratio. */
function computeRates(figures: TokenFigures, group: Decimal): BucketRates {
  const { list, isListed, modelRatio } = figures
  const prices = isListed ? list?.tokens : undefined
  const unit = multiply(
    prices?.input === undefined ? decimal(modelRatio) : unitsPerToken(prices.input),
    group,
  )
  const ratios = toRatios(figures, prices)
  const costOf = (bucket: TokenBucket): BucketCost => {
    const ratio = ratios[bucket]
    const price = prices?.[bucket]
    const parent = PARENTS[bucket]
    if (price === undefined && parent && toNumber(ratios[parent]) === toNumber(ratio)) return costOf(parent)
    return price !== undefined && prices?.input && isRoundedForm(toNumber(ratio), price / prices.input)
      ? { ratio: toNumber(ratio), units: multiply(unitsPerToken(price), group), isListed: true }
      : { ratio: toNumber(ratio), units: multiply(ratio, unit), isListed: false }
  }
  return withHighest(
    costOf,
    imageCost(unit, multiply(decimal(UNITS_PER_DOLLAR), group), prices && list?.image),
  )
}

/** For an image for which no tokens are counted. `dollar`: units of a dollar. */
const imageCost = (unit: Decimal, dollar: Decimal, price: number | undefined): BucketCost =>
  price === undefined
    ? { ratio: TOKENS_PER_IMAGE, units: multiplyBy(unit, TOKENS_PER_IMAGE), isListed: false }
    : { ratio: TOKENS_PER_IMAGE, units: multiplyBy(dollar, price), isListed: true }

function toRatios(
  { completion, cache, cacheWrite, cacheWriteHour, audio, image }: TokenFigures,
  prices: BucketPrices | undefined,
): Readonly<Record<TokenBucket, Decimal>> {
  const output = decimal(completion)
  const { input, output: listedOutput, reasoning } = prices ?? {}
  const hasOwnReasoning =
    input &&
    reasoning !== undefined &&
    listedOutput !== undefined &&
    isRoundedForm(completion, listedOutput / input)
  return {
    input: ONE,
    cachedInput: decimal(cache),
    cacheWrite: decimal(cacheWrite),
    cacheWriteHour: decimal(cacheWriteHour),
    audioInput: audio ? decimal(audio.input) : ONE,
    imageInput: image ? decimal(image) : ONE,
    output,
    reasoning: hasOwnReasoning ? decimal(roundRatio(reasoning / input)) : output,
    audioOutput: audio ? multiply(decimal(audio.input), decimal(audio.completion)) : output,
  }
}

function withHighest(costOf: (bucket: TokenBucket) => BucketCost, images: BucketCost): BucketRates {
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

/** The bucket whose price a bucket without a price of its own shares. */
const PARENTS: Readonly<Partial<Record<TokenBucket, TokenBucket>>> = {
  cachedInput: 'input',
  cacheWrite: 'input',
  cacheWriteHour: 'cacheWrite',
  audioInput: 'input',
  imageInput: 'input',
  reasoning: 'output',
  audioOutput: 'output',
}

/** Long prompts multiply the rates as they multiply the list price, also where the settings have another price. */
function computeLongPrompts(
  { list }: TokenFigures,
  base: BucketRates,
  group: Decimal,
): readonly LongPromptRates[] {
  const prices = list?.tokens
  if (!list || !prices) return []
  return list.tiers.map(({ above, tokens }) => {
    const factorOf = (bucket: TokenBucket): Decimal => {
      const [price, shortPrice] = [tokens[bucket], prices[bucket]]
      if (price !== undefined && shortPrice) return decimal(roundRatio(price / shortPrice))
      const parent = PARENTS[bucket]
      return parent ? factorOf(parent) : ONE
    }
    const costOf = (bucket: TokenBucket): BucketCost => {
      const { ratio, units, isListed } = base.costs[bucket]
      const parent = PARENTS[bucket]
      if (prices[bucket] === undefined && parent && base.costs[parent].ratio === ratio) return costOf(parent)
      const factor = factorOf(bucket)
      const price = isListed ? tokens[bucket] : undefined
      return {
        ratio: roundRatio(ratio * toNumber(factor)),
        units: price === undefined ? multiply(units, factor) : multiply(unitsPerToken(price), group),
        isListed,
      }
    }
    return { above, ...withHighest(costOf, base.costs.images) }
  })
}

const defaultCacheWriteRatio = (model: string): number =>
  model.includes('claude') ? CLAUDE_CACHE_WRITE_RATIO : 1

/** The price of a cache write for an hour in writes for five minutes; it stays when an administrator sets another price. */
function hourToMinutes(model: string, list: ListPrice | undefined): number {
  const { cacheWrite, cacheWriteHour } = list?.tokens ?? {}
  if (cacheWrite && cacheWriteHour) return roundRatio(cacheWriteHour / cacheWrite)
  return model.includes('claude') ? CLAUDE_HOUR_TO_MINUTES : 1
}

/** Own properties only: a model named `constructor` has no price. */
export const findFigure = (figures: PriceFigures, name: string): number | undefined =>
  Object.hasOwn(figures, name) ? figures[name] : undefined

export const larger = (a: Decimal, b: Decimal): Decimal => (isLarger(a, b) ? a : b)
