import type { OwnPrices, PriceList, TokenPrices } from '#contract/catalogue/price-list.ts'
import { GatewayError } from '#server/core/errors.ts'
import { ownEntry } from '#server/core/json/json.ts'
import { TOKEN_BUCKETS } from '#server/pricing/bucket-rates.ts'
import { catalogueModels } from '#server/pricing/catalogue.ts'
import { roundRatio, toListPrice, toModelRatio } from '#server/pricing/list-price.ts'
import { findPriceList, listPricesOf, type OwnPriceLists } from '#server/pricing/own-list-prices.ts'
import { getPrice, type Price, type PriceTable } from '#server/pricing/price.ts'
import { comparePrices, lineOf, type PriceDifference, priceLines } from '#server/pricing/price-lines.ts'

type Figures = Readonly<Record<string, number>>

/** The options that price models. */
export interface PriceOptions {
  readonly ModelRatio: Figures
  readonly ModelPrice: Figures
  readonly CompletionRatio: Figures
  readonly CacheRatio: Figures
  readonly CreateCacheRatio: Figures
  readonly ModelPriceLists: OwnPriceLists
}

export const FIGURE_OPTIONS = [
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
] as const

/** The entries of one model in the options. Undefined: there is none. */
export type ModelEntries = { readonly [Name in (typeof FIGURE_OPTIONS)[number]]?: number | undefined } & {
  readonly ModelPriceLists?: OwnPrices | undefined
}

/** A pseudo group of ratio 1. */
const NO_GROUP = ''
const DIGITS = 12

export function readEntries(options: PriceOptions, model: string): ModelEntries {
  const figures = FIGURE_OPTIONS.flatMap(name => {
    const figure = ownEntry(options[name], model)
    return figure === undefined ? [] : [[name, figure] as const]
  })
  const list = ownEntry(options.ModelPriceLists, model)
  return { ...Object.fromEntries(figures), ...(list && { ModelPriceLists: list }) }
}

/**
 * The entries with which a model costs what the feed says. What the feed does not say keeps its relation to the price of
 * input or output. Undefined for prices that charge nothing that can be counted.
 */
export function entriesFor(
  options: PriceOptions,
  model: string,
  proposed: OwnPrices,
): ModelEntries | undefined {
  const current = findPriceList(options.ModelPriceLists, model)
  const own: OwnPrices = {
    kind: current?.kind ?? proposed.kind,
    prices: mergePrices(current?.prices, proposed.prices),
  }
  const list = toListPrice(own)
  if (!list) return undefined
  const { ModelPrice: _, ModelPriceLists: __, ...before } = readEntries(options, model)
  const known = catalogueModels.get(model)
  const isCatalogued = known && JSON.stringify(sorted(known.prices)) === JSON.stringify(sorted(own.prices))
  const lists = isCatalogued ? {} : { ModelPriceLists: own }
  if (!list.tokens || list.tokens.input === undefined) return { ...before, ModelPrice: list.call, ...lists }
  const { input, output, cachedInput, cacheWrite } = list.tokens
  const relative = (price: number | undefined) =>
    price === undefined || input === 0 ? undefined : roundRatio(price / input)
  const feed = proposed.prices
  return {
    ...before,
    ModelRatio: toModelRatio(input),
    ...(relative(output) !== undefined && { CompletionRatio: relative(output) }),
    ...(feed.cached_input !== undefined && { CacheRatio: relative(cachedInput) }),
    ...(feed.cache_write !== undefined && { CreateCacheRatio: relative(cacheWrite) }),
    ...lists,
  }
}

const sorted = (prices: PriceList): object =>
  Object.fromEntries(Object.entries(prices).toSorted(([a], [b]) => (a < b ? -1 : 1)))

function mergePrices(base: PriceList | undefined, feed: PriceList): PriceList {
  const isCounted =
    feed.input !== undefined || feed.characters !== undefined || feed.second_input !== undefined
  if (!base || !isCounted) return feed
  const times = (to: number | undefined, from: number | undefined) =>
    to !== undefined && from ? to / from : undefined
  const input = times(feed.input, base.input) ?? 1
  const output = times(feed.output, base.output) ?? input
  const tiers = { ...scaleTiers(base, input, output).service_tiers, ...feed.service_tiers }
  return {
    ...scaleTiers(base, input, output),
    ...feed,
    ...(Object.keys(tiers).length > 0 && { service_tiers: tiers }),
  }
}

const OUTPUTS: ReadonlySet<string> = new Set(['output', 'reasoning', 'audio_output', 'image_output'])
const INPUTS: ReadonlySet<string> = new Set([
  'input',
  'cached_input',
  'cache_write',
  'cache_write_1h',
  'audio_input',
  'cached_audio_input',
  'image_input',
  'cached_image_input',
  'video_input',
])

function scaleTiers(list: PriceList, input: number, output: number): PriceList {
  if (input === 1 && output === 1) return list
  const { service_tiers: services, tiers } = list
  const scale = <Prices extends TokenPrices>(prices: Prices): Prices => scalePrices(prices, input, output)
  const scaled = scale(list)
  return {
    ...scaled,
    ...(tiers && { tiers: tiers.map(scale) }),
    ...(services && {
      service_tiers: Object.fromEntries(
        Object.entries(services).map(([name, rates]) => [
          name,
          { ...scale(rates), ...(rates.tiers && { tiers: rates.tiers.map(scale) }) },
        ]),
      ),
    }),
  }
}

function scalePrices<Prices extends TokenPrices>(prices: Prices, input: number, output: number): Prices {
  const scaled = Object.entries(prices).flatMap(([name, price]) => {
    const factor = INPUTS.has(name) ? input : OUTPUTS.has(name) ? output : undefined
    return typeof price === 'number' && factor !== undefined
      ? [[name, Number((price * factor).toPrecision(DIGITS))] as const]
      : []
  })
  return { ...prices, ...Object.fromEntries(scaled) }
}

/** How a model's price changes when it is set to what the feed says. */
export interface PriceUpdate {
  readonly differences: readonly PriceDifference[]
  /** The largest change: 2 for a price that doubles, 0 for one that vanishes, infinite for one that was 0. 1: a new model. */
  readonly factor: number
  /** Free, or at least ten times dearer or cheaper: likely a mistake. */
  readonly isSuspicious: boolean
  readonly isNew: boolean
  /** The charge would be what the feed says, to the last digit. */
  readonly isExact: boolean
}

const SUSPICIOUS_FACTOR = 10

/** Undefined for prices that charge nothing that can be counted. No differences: the model costs that already. */
export function compareWithFeed(
  options: PriceOptions,
  table: PriceTable,
  { model, ...proposed }: OwnPrices & { readonly model: string },
): PriceUpdate | undefined {
  const entries = entriesFor(options, model, proposed)
  if (!entries) return undefined
  const current = findPrice(table, model)
  const next = findPrice(tableOf(model, entries), model)
  const differences = comparePrices(priceLines(current), priceLines(next))
  const factors = differences.flatMap(({ from, to }) =>
    from === undefined || to === undefined ? [] : [to / from],
  )
  const factor = factors.reduce((most, one) => (distance(one) > distance(most) ? one : most), 1)
  const isFree = differences.some(({ line, to }) => to === 0 && /^(input|output|request)$/.test(line))
  return {
    differences,
    factor,
    isSuspicious: isFree || distance(factor) >= SUSPICIOUS_FACTOR * (1 - 1e-9),
    isNew: current === undefined,
    isExact: chargesExactly(entries, next),
  }
}

/** How the price of a model differs with other entries. */
export const compareEntries = (
  model: string,
  before: ModelEntries,
  after: ModelEntries,
): readonly PriceDifference[] =>
  comparePrices(
    priceLines(findPrice(tableOf(model, before), model)),
    priceLines(findPrice(tableOf(model, after), model)),
  )

/** How far a factor is from 1 in either direction; infinite for 0. */
const distance = (factor: number): number => Math.max(factor, 1 / factor)

/** The prices of the options, before the ratio of a group. */
export function priceTableOf(options: PriceOptions): PriceTable {
  return {
    modelRatio: options.ModelRatio,
    modelPrice: options.ModelPrice,
    completionRatio: options.CompletionRatio,
    cacheRatio: options.CacheRatio,
    createCacheRatio: options.CreateCacheRatio,
    groupRatio: { [NO_GROUP]: 1 },
    listPrices: listPricesOf(options.ModelPriceLists),
  }
}

/** A table of one model: those of all would be copied for each row of a feed. */
function tableOf(model: string, entries: ModelEntries): PriceTable {
  const only = <Entry>(entry: Entry | undefined): Readonly<Record<string, Entry>> =>
    entry === undefined ? {} : { [model]: entry }
  return priceTableOf({
    ModelRatio: only(entries.ModelRatio),
    ModelPrice: only(entries.ModelPrice),
    CompletionRatio: only(entries.CompletionRatio),
    CacheRatio: only(entries.CacheRatio),
    CreateCacheRatio: only(entries.CreateCacheRatio),
    ModelPriceLists: only(entries.ModelPriceLists),
  })
}

function findPrice(table: PriceTable, model: string): Price | undefined {
  try {
    return getPrice(table, { model, group: NO_GROUP })
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'model_price_missing') return undefined
    throw error
  }
}

function chargesExactly({ ModelPriceLists: own }: ModelEntries, next: Price | undefined): boolean {
  if (!own || !next) return next !== undefined
  const { tokens, call } = toListPrice(own) ?? {}
  const lines = priceLines(next)
  if (!tokens) return lines.get('request') === call
  return TOKEN_BUCKETS.every(bucket => {
    const price = tokens[bucket]
    return price === undefined || lines.get(lineOf(bucket)) === price
  })
}
