import type { ExtraPrices } from '#contract/catalogue/price-list.ts'
import { GatewayError } from '../core/errors.ts'
import { ownEntry } from '../core/json/json.ts'
import { modelFamily } from '../core/model-family.ts'
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
} from '../core/money.ts'
import { completionTokens, type ExtraUsage, hasExtras, promptTokens, type Usage } from '../core/usage.ts'
import { type BucketRates, larger, TOKEN_BUCKETS } from './bucket-rates.ts'
import { type ChargeLine, formatDecimal, type PricedLines } from './charge-line.ts'
import { chargeExtras, type ExtraRates } from './extra-charges.ts'
import { type ListPrice, type ListPrices, roundRatio, type TokenBucket, toModelRatio } from './list-price.ts'
import { dearestRates, findLongPrompt, ratesAbove } from './service-tiers.ts'
import { findFigure, type PriceFigures, type RatioTables, type TokenRate, tokenPrice } from './token-rates.ts'

/**
 * The price settings. A model is priced by `modelPrice` (dollars per call), else by `modelRatio` (units per input token),
 * else by its list price. A figure that is absent, or the rounded form of the list price, means the list price.
 */
export interface PriceTable extends RatioTables {
  readonly modelRatio: PriceFigures
  readonly modelPrice: PriceFigures
  readonly groupRatio: PriceFigures
  readonly listPrices?: ListPrices
  /** The administrator's prices by model that no ratio expresses. Each replaces that of the list price. */
  readonly extraPrices?: Readonly<Record<string, ExtraPrices>>
}

/** The price of one model for one group. */
export interface Price {
  /** Tokens and calls cost nothing. Searches and tools may still have a price. */
  readonly isFree: boolean
  /** The figures behind the price, as receipts show them. `model_price` is -1 for models that are priced by token. */
  readonly figures: PriceFigures
  readonly rate: CallRate | TokenRate
  /** Undefined where a call price covers everything, or the administrator made the model free. */
  readonly extras?: ExtraRates
}

interface CallRate {
  readonly kind: 'call'
  readonly amount: Decimal
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
  /** Uses of tools that the provider runs. */
  readonly extras?: ExtraUsage | undefined
}

interface PriceQuery {
  readonly model: string
  readonly group: string
}

const IMAGE_BUCKET = ['images'] as const
const SMALLEST_CHARGE = quota(1)
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

/** Clients choose the dates of dated names. */
const PRICES_CACHED_MAX = 10_000

function cachePrice(table: PriceTable, { group, model }: PriceQuery, price: Price): void {
  const groups = priceCache.get(table) ?? new Map<string, Map<string, Price>>()
  const prices = groups.get(group) ?? new Map<string, Price>()
  if (prices.size >= PRICES_CACHED_MAX) prices.clear()
  priceCache.set(table, groups.set(group, prices.set(model, price)))
}

/**
 * The charge for the usage. A call price applies whatever was used, and once per generated image; it covers everything
 * that the provider did for the request.
 */
export function calculateCharge(price: Price, usage: Usage): Charge {
  const { sum, lines } = sumLines(price, usage)
  return { amount: lines.length === 0 ? NO_QUOTA : atLeastOne(price, sum), exact: formatDecimal(sum), lines }
}

function sumLines(price: Price, usage: Usage): PricedLines {
  const { rate, extras } = price
  if (rate.kind === 'call') {
    const ratio = usage.images || 1
    const sum = multiplyBy(rate.amount, ratio)
    return { sum, lines: [{ bucket: 'call', tokens: 0, ratio, amount: formatDecimal(sum) }] }
  }
  const tokens = sumTokens(rate, usage)
  if (!extras || !hasExtras(usage)) return tokens
  const tools = chargeExtras(usage, extras)
  return { sum: add(tokens.sum, tools.sum), lines: [...tokens.lines, ...tools.lines] }
}

/** The amount of `calculateCharge` without its lines. */
export function chargeAmount(price: Price, usage: Usage): Quota {
  const sum = sumExactly(price, usage)
  // Only the lines tell whether something was used that costs nothing.
  return isZero(sum) ? calculateCharge(price, usage).amount : atLeastOne(price, sum)
}

/** The sum of `calculateCharge` before rounding, without the lines, whose texts are most of its work. */
export function sumExactly({ rate, extras }: Price, usage: Usage): Decimal {
  if (rate.kind === 'call') return multiplyBy(rate.amount, usage.images || 1)
  const rates = chooseRates(rate, usage)
  let sum = ZERO
  for (const bucket of bucketsOf(usage))
    if (usage[bucket] > 0) sum = add(sum, bucketAmount(bucket, usage, rates))
  return extras && hasExtras(usage) ? add(sum, chargeExtras(usage, extras).sum) : sum
}

function sumTokens(rate: TokenRate, usage: Usage): PricedLines {
  const rates = chooseRates(rate, usage)
  let sum = ZERO
  const lines: ChargeLine[] = []
  for (const bucket of bucketsOf(usage)) {
    if (usage[bucket] <= 0) continue
    const amount = bucketAmount(bucket, usage, rates)
    sum = add(sum, amount)
    lines.push(toLine({ bucket, amount }, usage, rates))
  }
  return { sum, lines }
}

type PricedBucket = TokenBucket | 'images'

/** Images are priced by their number where no tokens are counted. */
const bucketsOf = (usage: Usage): readonly PricedBucket[] =>
  promptTokens(usage) + completionTokens(usage) === 0 ? IMAGE_BUCKET : TOKEN_BUCKETS

/** Of sound that is priced by the second, `input` is our estimate. */
function bucketAmount(bucket: PricedBucket, usage: Usage, { costs, factor, second }: ChosenRates): Decimal {
  if (bucket === 'input' && second) return multiplyBy(second.units, second.count)
  const { units } = costs[bucket]
  return multiplyBy(factor ? multiply(units, factor) : units, usage[bucket])
}

interface BucketAmount {
  readonly bucket: PricedBucket
  readonly amount: Decimal
}

function toLine({ bucket, amount: exact }: BucketAmount, usage: Usage, rates: ChosenRates): ChargeLine {
  const { costs, factor, second, marks } = rates
  const amount = formatDecimal(exact)
  if (bucket === 'input' && second)
    return { bucket: 'seconds', tokens: second.count, ratio: 0, amount, each: formatDecimal(second.units) }
  const { ratio } = costs[bucket]
  const line: ChargeLine = { bucket, tokens: usage[bucket], ratio, amount }
  return marks ? { ...line, ...(factor && { ratio: roundRatio(ratio * toNumber(factor)) }), ...marks } : line
}

interface ChosenRates {
  readonly costs: BucketRates['costs']
  /** Undefined where no region is dearer. */
  readonly factor: Decimal | undefined
  /** What the lines say of it; undefined for the ordinary price. */
  readonly marks: Pick<ChargeLine, 'above' | 'tier' | 'region'> | undefined
  /** Seconds of sound and the units of one, where the provider counts no tokens for them. */
  readonly second: { readonly count: number; readonly units: Decimal } | undefined
}

/** The rates of the tier, the region and the length of the prompt that were served. */
function chooseRates(rate: TokenRate, usage: Usage): ChosenRates {
  const { serviceTier, region, seconds } = usage
  const second = seconds && rate.second ? { count: seconds, units: rate.second } : undefined
  const served = serviceTier === undefined ? undefined : rate.serviceTiers.get(serviceTier)
  const times = region === undefined ? undefined : findFigure(rate.regions, region)
  const long = findLongPrompt(served ?? rate, promptTokens(usage))
  const { costs } = long ?? served ?? rate
  if (!long && !served && times === undefined) return { costs, factor: undefined, marks: undefined, second }
  const marks = {
    ...(long && { above: long.above }),
    ...(served && serviceTier !== undefined && { tier: serviceTier }),
    ...(times !== undefined && region !== undefined && { region }),
  }
  return { costs, factor: times === undefined ? undefined : decimal(times), marks, second }
}

/**
 * The maximum price of a request, which its charge never exceeds: each input token at the most expensive input ratio of
 * the model (cache writes and audio included), each output token at the most expensive output ratio, both for a prompt of
 * this length. Images count per call, or by the more expensive of their tokens and their number.
 */
export function holdAmount({ rate, isFree, extras }: Price, ceiling: UsageCeiling): Quota {
  if (isFree && !ceiling.extras) return NO_QUOTA
  const sum =
    rate.kind === 'call' ? multiplyBy(rate.amount, ceiling.images || 1) : sumCeiling(rate, extras, ceiling)
  return atLeastOne({ isFree }, sum)
}

function sumCeiling(rate: TokenRate, extras: ExtraRates | undefined, ceiling: UsageCeiling): Decimal {
  const { inputTokens, outputTokens, images = 0 } = ceiling
  const { input, output } = ratesAbove(rate, inputTokens).highest
  const sum = add(multiplyBy(input, inputTokens), multiplyBy(output, outputTokens))
  const most = images > 0 ? larger(sum, multiplyBy(rate.costs.images.units, images)) : sum
  return extras && ceiling.extras ? add(most, chargeExtras(ceiling.extras, extras).sum) : most
}

/** The most output tokens, beside this input and these tools, that a hold of this amount covers. */
export function affordableOutputTokens(
  price: Price,
  amount: Quota,
  ceiling: Omit<UsageCeiling, 'outputTokens'>,
): number {
  if (price.rate.kind === 'call' || price.isFree) return Number.POSITIVE_INFINITY
  const { output } = ratesAbove(price.rate, ceiling.inputTokens).highest
  if (isZero(output)) return Number.POSITIVE_INFINITY
  const left = amount - toNumber(sumCeiling(price.rate, price.extras, { ...ceiling, outputTokens: 0 }))
  const outputTokens = Math.floor(left / toNumber(output))
  // Holds are rounded to whole units, so the division may be one token too generous.
  return holdAmount(price, { ...ceiling, outputTokens }) > amount ? outputTokens - 1 : outputTokens
}

/** How a request may be served. */
interface ServedWays {
  /** The tier that it asks for. A provider may still serve it in the default tier. */
  readonly serviceTier?: string | undefined
  /** The regions of the channels that may serve it. */
  readonly regions: readonly string[]
}

/** By price: the prices of holds in a tier and at a factor, of which a list price has a handful. */
const heldPrices = new WeakMap<Price, Map<string, Price>>()

/** The price to hold for: the dearest of the ways in which the request may be served. */
export function dearestPrice(price: Price, { serviceTier, regions }: ServedWays): Price {
  const { rate } = price
  if (rate.kind === 'call') return price
  const tier = serviceTier === undefined ? undefined : rate.serviceTiers.get(serviceTier)
  const factor = regions.reduce((most, region) => Math.max(most, findFigure(rate.regions, region) ?? 1), 1)
  if (!tier && factor === 1) return price
  const key = `${tier ? serviceTier : ''} ${factor}`
  const known = heldPrices.get(price) ?? new Map<string, Price>()
  heldPrices.set(price, known)
  const cached = known.get(key)
  if (cached) return cached
  const held = { ...price, rate: { ...rate, ...dearestRates(rate, tier ?? rate, factor) } }
  known.set(key, held)
  return held
}

/** Whether output costs more in the tier than in the default one. */
export function isDearerTier({ rate }: Price, serviceTier: string | undefined): boolean {
  const tier =
    rate.kind === 'call' || serviceTier === undefined ? undefined : rate.serviceTiers.get(serviceTier)
  return tier !== undefined && rate.kind !== 'call' && isLarger(tier.highest.output, rate.highest.output)
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
  const list = table.listPrices?.(model)
  const modelRatio = findFigure(table.modelRatio, model) ?? listedRatio(list)
  const own = ownEntry(table.extraPrices ?? {}, model)
  const extras: ExtraRates = {
    dollar: multiply(decimal(UNITS_PER_DOLLAR), decimal(groupRatio)),
    prices: own ? { ...list?.extras, ...own } : (list?.extras ?? {}),
    findImageModel: name => findImageModel(table, { model: name, group }),
  }
  if (modelRatio !== undefined) {
    const price = tokenPrice(table, { model, modelRatio, list, groupRatio, own })
    const isMadeFree = price.isFree && list?.tokens?.input !== 0
    return isMadeFree ? price : { ...price, extras }
  }
  if (list?.call !== undefined) return callPrice(list.call, groupRatio)
  throw new GatewayError('model_price_missing', {
    zh: `模型 ${model} 没有设置价格或倍率，请管理员在“设置 > 运营设置”中设置`,
    en: `the model ${model} has neither a price nor a ratio; an administrator sets one under Settings > Operation`,
  })
}

function findImageModel(table: PriceTable, query: PriceQuery): ReturnType<ExtraRates['findImageModel']> {
  try {
    const price = getPrice(table, query)
    return { images: price.extras?.prices.images, charge: usage => sumLines(price, usage) }
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'model_price_missing') return undefined
    throw error
  }
}

const listedRatio = (list: ListPrice | undefined): number | undefined =>
  list?.tokens?.input === undefined ? undefined : toModelRatio(list.tokens.input)

/** Whether requests for the model cost nothing in every group. */
export function isFreeModel(table: PriceTable, name: string): boolean {
  const model = modelFamily(name)
  const figure = findFigure(table.modelPrice, model) ?? findFigure(table.modelRatio, model)
  const list = figure === undefined ? table.listPrices?.(model) : undefined
  return (figure ?? listedRatio(list) ?? list?.call) === 0
}

function callPrice(dollars: number, groupRatio: number): Price {
  const amount = multiply(multiply(decimal(dollars), decimal(UNITS_PER_DOLLAR)), decimal(groupRatio))
  return {
    isFree: isZero(amount),
    figures: { model_price: dollars, group_ratio: groupRatio },
    rate: { kind: 'call', amount },
  }
}

/** What costs something costs at least one unit. */
const atLeastOne = ({ isFree }: Pick<Price, 'isFree'>, sum: Decimal): Quota =>
  isFree && isZero(sum) ? NO_QUOTA : max(SMALLEST_CHARGE, roundToQuota(sum))

const max = (a: Quota, b: Quota): Quota => (a > b ? a : b)
