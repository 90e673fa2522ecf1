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

/** The price options. A model is priced by `modelPrice` (dollars a call) or else by `modelRatio` (units an input token). */
export interface PriceTable {
  readonly modelRatio: PriceFigures
  readonly modelPrice: PriceFigures
  readonly completionRatio: PriceFigures
  readonly cacheRatio: PriceFigures
  readonly createCacheRatio: PriceFigures
  readonly groupRatio: PriceFigures
}

type TokenBucket = Exclude<keyof Usage, 'images'>

/** What one model costs one group. */
export interface Price {
  /** Nothing is ever charged. */
  readonly isFree: boolean
  /** The figures it was made of, as a receipt shows them. `model_price` is -1 where tokens are priced. */
  readonly figures: PriceFigures
  readonly rate: CallRate | TokenRate
}

interface CallRate {
  readonly kind: 'call'
  readonly amount: Decimal
}

interface BucketCost {
  /** What one of the bucket costs, in input tokens. */
  readonly ratio: number
  /** The same in units: ratio × model ratio × group ratio. */
  readonly units: Decimal
}

interface TokenRate {
  readonly kind: 'tokens'
  /** Of each bucket, and of plain pictures where no tokens are counted. */
  readonly costs: Readonly<Record<keyof Usage, BucketCost>>
  /** Units for one token of the dearest kind that can go in, or come out. */
  readonly dearest: { readonly input: Decimal; readonly output: Decimal }
}

/** One line of a bill: tokens × ratio × unit price. `amount` is in units, an exact decimal as text. */
export interface ChargeLine {
  readonly bucket: TokenBucket | 'call' | 'images'
  /** Plain pictures on the line of pictures; 0 on the line of a call price. */
  readonly tokens: number
  /** What one of this bucket costs, in input tokens; on the line of a call price, how many calls it counts for. */
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

/** The most that a request can come to. */
export interface UsageCeiling {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Plain pictures. */
  readonly images?: number
}

interface PriceQuery {
  readonly model: string
  readonly group: string
}

const BUCKETS = [
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
const SMALLEST_CHARGE = quota(1)
const PRICED_BY_TOKEN = -1
const CACHE_RATIO = 1
/** A model that is priced by its tokens but does not count them: a quarter of a cent for a plain picture at ratio 1. */
const TOKENS_PER_IMAGE = 1_250
const IMAGE_BUCKET = ['images'] as const
/** Anthropic asks a quarter more for what it puts into its cache (docs.anthropic.com, prompt caching); others ask nothing. */
const CLAUDE_CACHE_WRITE_RATIO = 1.25
/** And twice the input's price for what it keeps for an hour: so much more than for a few minutes. The same page. */
const CLAUDE_HOUR_TO_MINUTES = 1.6
const ONE = decimal(1)
const ZERO = decimal(0)

/** Prices found so far. A changed option is a new table, so nothing here grows old; both sides are bounded by the table. */
const priceCache = new WeakMap<PriceTable, Map<string, Map<string, Price>>>()

/**
 * The price of a model for a group. The administrator's figures always win; where there is none the built-in rules
 * say what an output, cached or spoken token costs. Throws GatewayError model_price_missing or group_not_allowed.
 */
export function getPrice(table: PriceTable, wanted: PriceQuery): Price {
  const known = priceCache.get(table)?.get(wanted.group)?.get(wanted.model)
  if (known) return known
  const price = computePrice(table, { ...wanted, model: modelFamily(wanted.model) })
  if (!wanted.model.includes('-gizmo-')) cachePrice(table, wanted, price)
  return price
}

function cachePrice(table: PriceTable, { group, model }: PriceQuery, price: Price): void {
  const groups = priceCache.get(table) ?? new Map<string, Map<string, Price>>()
  const prices = groups.get(group) ?? new Map<string, Price>()
  priceCache.set(table, groups.set(group, prices.set(model, price)))
}

/** What usage costs. A call price is charged whatever was used, and once for each plain picture that was made. */
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
  const isByPicture = promptTokens(usage) + completionTokens(usage) === 0
  let sum = ZERO
  const lines: ChargeLine[] = []
  for (const bucket of isByPicture ? IMAGE_BUCKET : BUCKETS) {
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
 * The most that a request with this many tokens can cost, so that its charge never exceeds it: each input token at the
 * dearest input ratio the model has (cache writes and sound included), each output token at the dearest output ratio.
 * Pictures count by the call, or by whichever is dearer of their tokens and themselves.
 */
export function holdAmount({ rate, isFree }: Price, used: UsageCeiling): Quota {
  if (isFree) return NO_QUOTA
  const { inputTokens, outputTokens, images = 0 } = used
  if (rate.kind === 'call') return max(SMALLEST_CHARGE, roundToQuota(multiplyBy(rate.amount, images || 1)))
  const { input, output } = rate.dearest
  const sum = add(multiplyBy(input, inputTokens), multiplyBy(output, outputTokens))
  const most = images > 0 ? dearer(sum, multiplyBy(rate.costs.images.units, images)) : sum
  return max(SMALLEST_CHARGE, roundToQuota(most))
}

function computePrice(table: PriceTable, { model, group }: PriceQuery): Price {
  const groupRatio = findFigure(table.groupRatio, group)
  if (groupRatio === undefined) throw new GatewayError('group_not_allowed', `the group ${group} has no ratio`)
  const dollars = findFigure(table.modelPrice, model)
  if (dollars !== undefined) return callPrice(dollars, groupRatio)
  const modelRatio = findFigure(table.modelRatio, model)
  if (modelRatio === undefined)
    throw new GatewayError('model_price_missing', `the model ${model} has neither a price nor a ratio`)
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
    rate: { kind: 'tokens', costs: computeCosts(ratios, unit), dearest: findDearest(ratios, unit) },
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

function findDearest(ratios: Readonly<Record<TokenBucket, Decimal>>, unit: Decimal) {
  const { input, cachedInput, cacheWrite, cacheWriteHour, audioInput, imageInput } = ratios
  const { output, reasoning, audioOutput } = ratios
  const others = [cachedInput, cacheWrite, cacheWriteHour, audioInput, imageInput]
  return {
    input: multiply(others.reduce(dearer, input), unit),
    output: multiply([reasoning, audioOutput].reduce(dearer, output), unit),
  }
}

const defaultCacheWriteRatio = (model: string): number =>
  model.includes('claude') ? CLAUDE_CACHE_WRITE_RATIO : 1

/** In the same proportion where an administrator gave another price for a few minutes. */
const cacheWriteHourRatio = (model: string, cacheWrite: number): number =>
  model.includes('claude')
    ? toNumber(multiply(decimal(cacheWrite), decimal(CLAUDE_HOUR_TO_MINUTES)))
    : cacheWrite

/** Own members only: a model named `constructor` has no price. */
const findFigure = (figures: PriceFigures, name: string): number | undefined =>
  Object.hasOwn(figures, name) ? figures[name] : undefined

const atLeastOne = (price: Price, sum: Decimal): Quota =>
  price.isFree ? NO_QUOTA : max(SMALLEST_CHARGE, roundToQuota(sum))

const max = (a: Quota, b: Quota): Quota => (a > b ? a : b)
const dearer = (a: Decimal, b: Decimal): Decimal => (isLarger(a, b) ? a : b)

/** As many digits as every plain number tells apart; with fewer it prints as the decimal that it was made of. */
const EXACT_DIGITS_MAX = 1e15
/** Smaller numbers print with an exponent. Above it the power of ten that was divided by is exact: it is below 1e22. */
const PLAIN_NOTATION_MIN = 1e-6

/** The decimal written out exactly, without needless zeros: 1250, 0.525, -3. */
export function formatDecimal(decimal: Decimal): string {
  const { digits } = decimal
  const value = toNumber(decimal)
  const isToldApart = digits < EXACT_DIGITS_MAX && digits > -EXACT_DIGITS_MAX
  return isToldApart && Math.abs(value) >= PLAIN_NOTATION_MIN ? String(value) : formatDigits(decimal)
}

function formatDigits({ digits, scale }: Decimal): string {
  const sign = digits < 0 ? '-' : ''
  const figures = String(digits < 0 ? -digits : digits).padStart(scale + 1, '0')
  const whole = figures.slice(0, figures.length - scale)
  const fraction = figures.slice(figures.length - scale).replace(/0+$/, '')
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}
