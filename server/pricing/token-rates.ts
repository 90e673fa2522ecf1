import type { ExtraPrices } from '#contract/catalogue/price-list.ts'
import {
  type Decimal,
  decimal,
  isZero,
  multiply,
  multiplyBy,
  toNumber,
  UNITS_PER_DOLLAR,
} from '../core/money.ts'
import {
  type BucketCost,
  type BucketRates,
  ONE,
  PARENTS,
  scaleRates,
  TOKEN_BUCKETS,
  toBucketRates,
} from './bucket-rates.ts'
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
import { computeServiceTiers, type LongPromptRates, type TierRates } from './service-tiers.ts'

export type PriceFigures = Readonly<Record<string, number>>

/** The settings that relate the price of other tokens to that of input. */
export interface RatioTables {
  readonly completionRatio: PriceFigures
  readonly cacheRatio: PriceFigures
  readonly createCacheRatio: PriceFigures
}

export interface TokenRate extends TierRates {
  readonly kind: 'tokens'
  readonly serviceTiers: ReadonlyMap<string, TierRates>
  /** Factors on all prices of tokens. */
  readonly regions: PriceFigures
  /** Units for a second of sound whose tokens the provider does not count. */
  readonly second: Decimal | undefined
}

const PRICED_BY_TOKEN = -1
const CACHE_RATIO = 1
const COMPLETION_RATIO = 1
/** For models that are priced by token but count none for an image: a quarter of a cent per image at ratio 1. */
const TOKENS_PER_IMAGE = 1_250
/** Anthropic charges a quarter more for cache writes (docs.anthropic.com, prompt caching); other providers charge nothing. */
const CLAUDE_CACHE_WRITE_RATIO = 1.25
/** A cache write for an hour costs twice the input price, 1.6 times that of a write for five minutes (same page). */
const CLAUDE_HOUR_TO_MINUTES = 1.6

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
  /** The administrator's prices that no ratio expresses. */
  readonly own: ExtraPrices | undefined
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
export function tokenPrice(table: RatioTables, { groupRatio, own, ...query }: TokenPriceQuery): TokenPrice {
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
    rate: toRate({ figures, rates, group, own }),
  }
}

interface RateParts extends Pick<TokenPriceQuery, 'own'> {
  readonly figures: TokenFigures
  readonly rates: BucketRates
  readonly group: Decimal
}

function toRate({ figures, rates, group, own }: RateParts): TokenRate {
  const { list, isListed } = figures
  const base = { ...rates, longPrompts: computeLongPrompts(figures, rates, group) }
  const { serviceTiers: tiers = {}, tokens: listed, second } = list ?? {}
  return {
    kind: 'tokens',
    ...base,
    serviceTiers: computeServiceTiers({ base, listed, tiers, own: own?.service_tiers, group }),
    regions: own?.regions ?? list?.extras.regions ?? NO_REGIONS,
    second:
      second !== undefined && isListed
        ? multiply(multiplyBy(decimal(UNITS_PER_DOLLAR), second), group)
        : undefined,
  }
}

const NO_REGIONS: PriceFigures = {}

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
  return toBucketRates(
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

/** Long prompts multiply the rates as they multiply the list price, also where the settings have another price. */
function computeLongPrompts(
  { list }: TokenFigures,
  base: BucketRates,
  group: Decimal,
): readonly LongPromptRates[] {
  const listed = list?.tokens
  if (!list || !listed) return []
  return list.tiers.map(({ above, tokens }) => ({
    above,
    ...scaleRates({ base, listed, prices: tokens, group }),
  }))
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
