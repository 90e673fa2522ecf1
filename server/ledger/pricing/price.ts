import { GatewayError } from '../../core/errors.ts'
import { modelFamily } from '../../core/model-family.ts'
import {
  add,
  type Decimal,
  decimal,
  isLarger,
  isZero,
  multiply,
  multiplyBy,
  NO_QUOTA,
  type Quota,
  quota,
  roundToQuota,
  toNumber,
  UNITS_PER_DOLLAR,
} from '../../core/money.ts'
import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import { defaultAudioRatios, defaultCompletionRatio, defaultImageRatio } from './model-ratios.ts'

type PriceFigures = Readonly<Record<string, number>>

/** The price settings. A model is priced by `modelPrice` (dollars per call), else by `modelRatio` (units per input token). */
export interface PriceTable {
  readonly modelRatio: PriceFigures
  readonly modelPrice: PriceFigures
  readonly completionRatio: PriceFigures
  readonly cacheRatio: PriceFigures
  readonly createCacheRatio: PriceFigures
  readonly groupRatio: PriceFigures
}

type TokenBucket = Exclude<keyof Usage, 'images'>

/** The price of one model for one group. */
export interface Price {
  /** Every charge is 0. */
  readonly isFree: boolean
  /** The figures behind the price, as receipts show them. `model_price` is -1 for models that are priced by token. */
  readonly figures: PriceFigures
  readonly rate: CallRate | TokenRate
}

interface CallRate {
  readonly kind: 'call'
  readonly amount: Decimal
}

interface BucketCost {
  /** The price of one item of the bucket in input tokens. */
  readonly ratio: number
  /** The same in units: ratio × model ratio × group ratio. */
  readonly units: Decimal
}

interface TokenRate {
  readonly kind: 'tokens'
  /** Per item of each bucket; `images` applies to images for which no tokens are counted. */
  readonly costs: Readonly<Record<keyof Usage, BucketCost>>
  /** Units for one token of the most expensive input or output bucket. */
  readonly highest: { readonly input: Decimal; readonly output: Decimal }
}

/** One line of a bill: tokens × ratio × unit price. `amount` is in units, an exact decimal as text. */
export interface ChargeLine {
  readonly bucket: TokenBucket | 'call' | 'images'
  /** The number of images on the line `images`; 0 on the line of a call price. */
  readonly tokens: number
  /** The price of one item in input tokens; on the line of a call price the number of charged calls. */
  readonly ratio: number
  readonly amount: string
}

export interface Charge {
  /** The exact sum rounded once, halves up; at least 1 when something priced was used. */
  readonly amount: Quota
  /** The sum of the lines before rounding, as text. */
  readonly exact: string
  readonly lines: readonly ChargeLine[]
}

/** Upper bounds of the usage of a request. */
export interface UsageCeiling {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly images?: number
}

interface PriceQuery {
  readonly model: string
  readonly group: string
}

const TOKEN_BUCKETS = [
  'input',
  'cachedInput',
  'cacheWrite',
  'cacheWriteHour',
  'audioInput',
  'imageInput',
  'output',
  'reasoning',
  'audioOutput',
] as const
const IMAGE_BUCKET = ['images'] as const
const SMALLEST_CHARGE = quota(1)
const PRICED_BY_TOKEN = -1
const CACHE_RATIO = 1
/** For models that are priced by token but count none for an image: a quarter of a cent per image at ratio 1. */
const TOKENS_PER_IMAGE = 1_250
/** Anthropic charges a quarter more for cache writes (docs.anthropic.com, prompt caching); other vendors charge nothing. */
const CLAUDE_CACHE_WRITE_RATIO = 1.25
/** A cache write for an hour costs twice the input price, 1.6 times that of a write for five minutes (same page). */
const CLAUDE_HOUR_TO_MINUTES = 1.6
const ONE = decimal(1)
const ZERO = decimal(0)

/** Prices by table, group and model. A changed setting is a new table, so no entry grows stale; the table bounds the size. */
const priceCache = new WeakMap<PriceTable, Map<string, Map<string, Price>>>()

/**
 * The price of a model for a group. The administrator's figures take precedence; built-in ratios apply where there is
 * none. Throws GatewayError model_price_missing or group_not_allowed.
 */
export function getPrice(table: PriceTable, query: PriceQuery): Price {
  const cached = priceCache.get(table)?.get(query.group)?.get(query.model)
  if (cached) return cached
  const price = computePrice(table, { ...query, model: modelFamily(query.model) })
  // The names of a gizmo family are unbounded.
  if (!query.model.includes('-gizmo-')) cachePrice(table, query, price)
  return price
}

function cachePrice(table: PriceTable, { group, model }: PriceQuery, price: Price): void {
  const groups = priceCache.get(table) ?? new Map<string, Map<string, Price>>()
  const prices = groups.get(group) ?? new Map<string, Price>()
  priceCache.set(table, groups.set(group, prices.set(model, price)))
}

/** The charge for the usage. A call price applies whatever was used, and once per generated image. */
export function calculateCharge(price: Price, usage: Usage): Charge {
  const { rate } = price
  if (rate.kind === 'call') {
    const ratio = usage.images || 1
    const sum = multiplyBy(rate.amount, ratio)
    const exact = formatDecimal(sum)
    return {
      amount: atLeastOne(price, sum),
      exact,
      lines: [{ bucket: 'call', tokens: 0, ratio, amount: exact }],
    }
  }
  const isPricedByImage = promptTokens(usage) + completionTokens(usage) === 0
  let sum = ZERO
  const lines: ChargeLine[] = []
  for (const bucket of isPricedByImage ? IMAGE_BUCKET : TOKEN_BUCKETS) {
    const tokens = usage[bucket]
    if (tokens <= 0) continue
    const { ratio, units } = rate.costs[bucket]
    const amount = multiplyBy(units, tokens)
    sum = add(sum, amount)
    lines.push({ bucket, tokens, ratio, amount: formatDecimal(amount) })
  }
  return { amount: lines.length === 0 ? NO_QUOTA : atLeastOne(price, sum), exact: formatDecimal(sum), lines }
}

/**
 * The maximum price of a request, which its charge never exceeds: each input token at the most expensive input ratio of
 * the model (cache writes and audio included), each output token at the most expensive output ratio. Images count per
 * call, or by the more expensive of their tokens and their number.
 */
export function holdAmount({ rate, isFree }: Price, ceiling: UsageCeiling): Quota {
  if (isFree) return NO_QUOTA
  const { inputTokens, outputTokens, images = 0 } = ceiling
  if (rate.kind === 'call') return max(SMALLEST_CHARGE, roundToQuota(multiplyBy(rate.amount, images || 1)))
  const { input, output } = rate.highest
  const sum = add(multiplyBy(input, inputTokens), multiplyBy(output, outputTokens))
  const most = images > 0 ? larger(sum, multiplyBy(rate.costs.images.units, images)) : sum
  return max(SMALLEST_CHARGE, roundToQuota(most))
}

/** The most output tokens, beside these input tokens, that a hold of this amount covers. */
export function affordableOutputTokens(price: Price, amount: Quota, inputTokens: number): number {
  if (price.rate.kind === 'call' || price.isFree) return Number.POSITIVE_INFINITY
  const { input, output } = price.rate.highest
  if (isZero(output)) return Number.POSITIVE_INFINITY
  const left = amount - toNumber(multiplyBy(input, inputTokens))
  const outputTokens = Math.floor(left / toNumber(output))
  // Holds are rounded to whole units, so the division may be one token too generous.
  return holdAmount(price, { inputTokens, outputTokens }) > amount ? outputTokens - 1 : outputTokens
}

function computePrice(table: PriceTable, { model, group }: PriceQuery): Price {
  const groupRatio = findFigure(table.groupRatio, group)
  if (groupRatio === undefined)
    throw new GatewayError('group_not_allowed', {
      zh: `分组 ${group} 没有设置倍率`,
      en: `the group ${group} has no ratio`,
    })
  const dollars = findFigure(table.modelPrice, model)
  if (dollars !== undefined) return callPrice(dollars, groupRatio)
  const modelRatio = findFigure(table.modelRatio, model)
  if (modelRatio === undefined)
    throw new GatewayError('model_price_missing', {
      zh: `模型 ${model} 没有设置价格或倍率，请管理员在“设置 > 运营设置”中设置`,
      en: `the model ${model} has neither a price nor a ratio; an administrator sets one under Settings > Operation`,
    })
  return tokenPrice(table, { model, modelRatio, groupRatio })
}

function callPrice(dollars: number, groupRatio: number): Price {
  const amount = multiply(multiply(decimal(dollars), decimal(UNITS_PER_DOLLAR)), decimal(groupRatio))
  return {
    isFree: isZero(amount),
    figures: { model_price: dollars, group_ratio: groupRatio },
    rate: { kind: 'call', amount },
  }
}

interface TokenFigures {
  readonly model: string
  readonly modelRatio: number
  readonly groupRatio: number
}

function tokenPrice(table: PriceTable, { model, modelRatio, groupRatio }: TokenFigures): Price {
  const completion = findFigure(table.completionRatio, model) ?? defaultCompletionRatio(model)
  const cache = findFigure(table.cacheRatio, model) ?? CACHE_RATIO
  const cacheWrite = findFigure(table.createCacheRatio, model) ?? defaultCacheWriteRatio(model)
  const cacheWriteHour = cacheWriteHourRatio(model, cacheWrite)
  const audio = defaultAudioRatios(model)
  const image = defaultImageRatio(model)
  const output = decimal(completion)
  const unit = multiply(decimal(modelRatio), decimal(groupRatio))
  const ratios = {
    input: ONE,
    cachedInput: decimal(cache),
    cacheWrite: decimal(cacheWrite),
    cacheWriteHour: decimal(cacheWriteHour),
    audioInput: audio ? decimal(audio.input) : ONE,
    imageInput: image ? decimal(image) : ONE,
    output,
    reasoning: output,
    audioOutput: audio ? multiply(decimal(audio.input), decimal(audio.completion)) : output,
    images: decimal(TOKENS_PER_IMAGE),
  }
  return {
    isFree: isZero(unit),
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
    rate: { kind: 'tokens', costs: computeCosts(ratios, unit), highest: findHighest(ratios, unit) },
  }
}

function computeCosts(ratios: Readonly<Record<keyof Usage, Decimal>>, unit: Decimal): TokenRate['costs'] {
  const costOf = (bucket: keyof Usage): BucketCost => ({
    ratio: toNumber(ratios[bucket]),
    units: multiply(ratios[bucket], unit),
  })
  return {
    input: costOf('input'),
    cachedInput: costOf('cachedInput'),
    cacheWrite: costOf('cacheWrite'),
    cacheWriteHour: costOf('cacheWriteHour'),
    audioInput: costOf('audioInput'),
    imageInput: costOf('imageInput'),
    output: costOf('output'),
    reasoning: costOf('reasoning'),
    audioOutput: costOf('audioOutput'),
    images: costOf('images'),
  }
}

function findHighest(ratios: Readonly<Record<TokenBucket, Decimal>>, unit: Decimal) {
  const { input, cachedInput, cacheWrite, cacheWriteHour, audioInput, imageInput } = ratios
  const { output, reasoning, audioOutput } = ratios
  const others = [cachedInput, cacheWrite, cacheWriteHour, audioInput, imageInput]
  return {
    input: multiply(others.reduce(larger, input), unit),
    output: multiply([reasoning, audioOutput].reduce(larger, output), unit),
  }
}

const defaultCacheWriteRatio = (model: string): number =>
  model.includes('claude') ? CLAUDE_CACHE_WRITE_RATIO : 1

/** Keeps the proportion when an administrator sets another price for the five-minute cache. */
const cacheWriteHourRatio = (model: string, cacheWrite: number): number =>
  model.includes('claude')
    ? toNumber(multiply(decimal(cacheWrite), decimal(CLAUDE_HOUR_TO_MINUTES)))
    : cacheWrite

/** Own properties only: a model named `constructor` has no price. */
const findFigure = (figures: PriceFigures, name: string): number | undefined =>
  Object.hasOwn(figures, name) ? figures[name] : undefined

const atLeastOne = (price: Price, sum: Decimal): Quota =>
  price.isFree ? NO_QUOTA : max(SMALLEST_CHARGE, roundToQuota(sum))

const max = (a: Quota, b: Quota): Quota => (a > b ? a : b)
const larger = (a: Decimal, b: Decimal): Decimal => (isLarger(a, b) ? a : b)

/** The exact decimal as text without trailing zeros: 1250, 0.525, -3. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0 ? '-' : ''
  const figures = String(digits < 0 ? -digits : digits).padStart(scale + 1, '0')
  const integer = figures.slice(0, figures.length - scale)
  const fraction = figures.slice(figures.length - scale).replace(/0+$/, '')
  return fraction === '' ? sign + integer : `${sign}${integer}.${fraction}`
}
