import {
  type OwnPrices,
  type PriceList,
  TOKEN_PRICE_NAMES,
  type TokenPrices,
} from '#contract/catalogue/price-list.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { ownEntry } from '#server/core/json/json.ts'
import { callPrice, catalogueModels, findModel, isPriced, listedPrices } from '#server/pricing/catalogue.ts'
import { relativePrice, toModelRatio } from '#server/pricing/ratio-rules.ts'

export const FIGURE_OPTIONS = [
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
] as const

/** The options that price models. */
export type ModelOptions = Pick<OptionValues, (typeof FIGURE_OPTIONS)[number] | 'ModelPriceLists'>

/** The entries of one model in the options. Undefined: there is none. */
export type ModelEntries = { readonly [Name in (typeof FIGURE_OPTIONS)[number]]?: number | undefined } & {
  readonly ModelPriceLists?: OwnPrices | undefined
}

const DIGITS = 12

export function readEntries(options: ModelOptions, model: string): ModelEntries {
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
  options: ModelOptions,
  model: string,
  proposed: OwnPrices,
): ModelEntries | undefined {
  const current = findPriceList(options.ModelPriceLists, model)
  const own: OwnPrices = {
    kind: current?.kind ?? proposed.kind,
    prices: mergePrices(current?.prices, proposed.prices),
  }
  if (!isPriced(own)) return undefined
  const { ModelPrice: _, ModelPriceLists: __, ...before } = readEntries(options, model)
  const known = catalogueModels.get(model)
  const isCatalogued = known && JSON.stringify(sorted(known.prices)) === JSON.stringify(sorted(own.prices))
  const lists = isCatalogued ? {} : { ModelPriceLists: own }
  const prices = listedPrices(own)
  if (prices.input === undefined) return { ...before, ModelPrice: callPrice(own), ...lists }
  const completion = relativePrice(prices, 'output')
  const feed = proposed.prices
  return {
    ...before,
    ModelRatio: toModelRatio(prices.input),
    ...(completion !== undefined && { CompletionRatio: completion }),
    ...(feed.cached_input !== undefined && { CacheRatio: relativePrice(prices, 'cachedInput') }),
    ...(feed.cache_write !== undefined && { CreateCacheRatio: relativePrice(prices, 'cacheWrite') }),
    ...lists,
  }
}

/** The administrator's list of a model, else the catalogue's. */
function findPriceList(lists: Readonly<Record<string, OwnPrices>>, model: string): OwnPrices | undefined {
  if (Object.hasOwn(lists, model)) return lists[model]
  const known = findModel(model)
  return known && { kind: known.kind, prices: known.prices }
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

const OUTPUT = /output|reasoning/

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
    if (typeof price !== 'number' || !TOKEN_PRICE_NAMES.has(name)) return []
    return [[name, Number((price * (OUTPUT.test(name) ? output : input)).toPrecision(DIGITS))] as const]
  })
  return { ...prices, ...Object.fromEntries(scaled) }
}
