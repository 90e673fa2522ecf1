import { GatewayError } from '../../core/errors.ts'
import { modelFamily } from '../../core/model-family.ts'
import {
  add,
  type Decimal,
  decimal,
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
import { type ListPrice, type ListPrices, type TokenBucket, toModelRatio } from './list-price.ts'
import {
  findFigure,
  type LongPromptRates,
  larger,
  type PriceFigures,
  type RatioTables,
  TOKEN_BUCKETS,
  type TokenRate,
  tokenPrice,
} from './token-rates.ts'

/**
 * The price settings. A model is priced by `modelPrice` (dollars per call), else by `modelRatio` (units per input token),
 * else by its list price. A figure that is absent, or the rounded form of the list price, means the list price.
 */
export interface PriceTable extends RatioTables {
  readonly modelRatio: PriceFigures
  readonly modelPrice: PriceFigures
  readonly groupRatio: PriceFigures
  readonly listPrices?: ListPrices
}

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

/** One line of a bill: tokens × ratio × unit price. `amount` is in units, an exact decimal as text. */
export interface ChargeLine {
  readonly bucket: TokenBucket | 'call' | 'images'
  /** The number of images on the line `images`; 0 on the line of a call price. */
  readonly tokens: number
  /** The price of one item in input tokens; on the line of a call price the number of charged calls. */
  readonly ratio: number
  readonly amount: string
  /** The prompt has more tokens than this, which the vendor charges at a higher price. */
  readonly above?: number
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
  const prompt = promptTokens(usage)
  const isPricedByImage = prompt + completionTokens(usage) === 0
  const long = findLongPromptRates(rate, prompt)
  const { costs } = long ?? rate
  let sum = ZERO
  const lines: ChargeLine[] = []
  for (const bucket of isPricedByImage ? IMAGE_BUCKET : TOKEN_BUCKETS) {
    const tokens = usage[bucket]
    if (tokens <= 0) continue
    const { ratio, units } = costs[bucket]
    const amount = multiplyBy(units, tokens)
    sum = add(sum, amount)
    const line = { bucket, tokens, ratio, amount: formatDecimal(amount) }
    lines.push(long ? { ...line, above: long.above } : line)
  }
  return { amount: lines.length === 0 ? NO_QUOTA : atLeastOne(price, sum), exact: formatDecimal(sum), lines }
}

/** The rates that a prompt of this length pays. */
const findLongPromptRates = ({ longPrompts }: TokenRate, prompt: number): LongPromptRates | undefined =>
  longPrompts.length === 0 ? undefined : longPrompts.findLast(({ above }) => prompt > above)

/**
 * The maximum price of a request, which its charge never exceeds: each input token at the most expensive input ratio of
 * the model (cache writes and audio included), each output token at the most expensive output ratio, both for a prompt of
 * this length. Images count per call, or by the more expensive of their tokens and their number.
 */
export function holdAmount({ rate, isFree }: Price, ceiling: UsageCeiling): Quota {
  if (isFree) return NO_QUOTA
  const { inputTokens, outputTokens, images = 0 } = ceiling
  if (rate.kind === 'call') return max(SMALLEST_CHARGE, roundToQuota(multiplyBy(rate.amount, images || 1)))
  const { input, output } = (findLongPromptRates(rate, inputTokens) ?? rate).highest
  const sum = add(multiplyBy(input, inputTokens), multiplyBy(output, outputTokens))
  const most = images > 0 ? larger(sum, multiplyBy(rate.costs.images.units, images)) : sum
  return max(SMALLEST_CHARGE, roundToQuota(most))
}

/** The most output tokens, beside these input tokens, that a hold of this amount covers. */
export function affordableOutputTokens(price: Price, amount: Quota, inputTokens: number): number {
  if (price.rate.kind === 'call' || price.isFree) return Number.POSITIVE_INFINITY
  const { input, output } = (findLongPromptRates(price.rate, inputTokens) ?? price.rate).highest
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
  const list = table.listPrices?.(model)
  const modelRatio = findFigure(table.modelRatio, model) ?? listedRatio(list)
  if (modelRatio !== undefined) return tokenPrice(table, { model, modelRatio, list, groupRatio })
  if (list?.call !== undefined) return callPrice(list.call, groupRatio)
  throw new GatewayError('model_price_missing', {
    zh: `模型 ${model} 没有设置价格或倍率，请管理员在“设置 > 运营设置”中设置`,
    en: `the model ${model} has neither a price nor a ratio; an administrator sets one under Settings > Operation`,
  })
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

const atLeastOne = (price: Price, sum: Decimal): Quota =>
  price.isFree ? NO_QUOTA : max(SMALLEST_CHARGE, roundToQuota(sum))

const max = (a: Quota, b: Quota): Quota => (a > b ? a : b)

/** The exact decimal as text without trailing zeros: 1250, 0.525, -3. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0 ? '-' : ''
  const figures = String(digits < 0 ? -digits : digits).padStart(scale + 1, '0')
  const integer = figures.slice(0, figures.length - scale)
  const fraction = figures.slice(figures.length - scale).replace(/0+$/, '')
  return fraction === '' ? sign + integer : `${sign}${integer}.${fraction}`
}
