import { type OptionKey, systemOptions } from '#contract/options/system-options.ts'
import { completionTokens, extrasOf, NO_USAGE, promptTokens, type Usage } from '#server/core/usage.ts'
import { catalogueModels, outputLimit } from '#server/pricing/catalogue.ts'
import { affordableOutputTokens, calculateCharge, chargeAmount, holdAmount } from '#server/pricing/charge.ts'
import { dearestPrice, type GroupPrice } from '#server/pricing/price.ts'
import { createPriceBook, OUTPUT_LIMIT } from '#server/pricing/price-book.ts'
import { createPurchasePrices, type PurchaseTerms } from '#server/pricing/purchase-price.ts'
import { optionDefault } from '#server/settings/option-defaults.ts'
import type { PricedUsage } from './usages.ts'

/**
 * The only file of this folder that calls pricing code. A refactoring of that code rewrites this file and leaves the recorded
 * figures as they are.
 */

type PriceOption =
  | 'ModelRatio'
  | 'ModelPrice'
  | 'CompletionRatio'
  | 'CacheRatio'
  | 'CreateCacheRatio'
  | 'ModelPriceLists'
  | 'GroupRatio'

/** Price options as an administrator stores them. Absent: the defaults of a new installation. */
export type PriceOptions = Partial<Record<PriceOption, object>>

interface ChargedLine {
  readonly bucket: string
  readonly tokens: number
  readonly ratio: number
  readonly amount: string
}

/** What the usage of a request costs. */
export interface Quote {
  /** Units that are charged. */
  readonly amount: number
  /** The sum before rounding. */
  readonly exact: string
  /** Lines of the receipt, with all of their fields. */
  readonly lines: readonly ChargedLine[]
  /** The charge as repricing computes it, without lines. */
  readonly repriced: number
  /** Units that are held for a request which may use this much. */
  readonly hold: number
  /** Output tokens that the hold covers beside the input. */
  readonly affordable: number
}

/** The price of a model for a group. */
export interface QuotedModel {
  /** The figures behind the price, as receipts show them. */
  readonly figures: Readonly<Record<string, number>>
  readonly isFree: boolean
  quote(usage: PricedUsage): Quote
}

export interface PriceBook {
  /** Models of the options and of the catalogue. Some have no price. */
  readonly models: readonly string[]
  /** Throws when the model has no price or the group no ratio. */
  price(model: string, group: string): QuotedModel
  hasPrice(model: string): boolean
  isFreeModel(model: string): boolean
}

export function openPriceBook(options: PriceOptions): PriceBook {
  const values = readOptions(options)
  const { ModelRatio, ModelPrice, CompletionRatio, CacheRatio, CreateCacheRatio } = values
  const book = createPriceBook(values)
  const tables = [ModelRatio, ModelPrice, CompletionRatio, CacheRatio, CreateCacheRatio]
  const models = new Set([...tables.flatMap(figures => Object.keys(figures)), ...catalogueModels.keys()])
  return {
    models: [...models].toSorted(),
    price: (model, group) => toQuotedModel(book.get({ model, group })),
    hasPrice: model => book.find(model) !== undefined,
    isFreeModel: model => book.find(model)?.isFree ?? false,
  }
}

/** The price options as the relay uses them. */
function readOptions(options: PriceOptions) {
  const read = <Value>(key: PriceOption, schema: { parse(text: string): Value }): Value =>
    schema.parse(textOf(key, options[key]))
  const {
    ModelRatio,
    ModelPrice,
    CompletionRatio,
    CacheRatio,
    CreateCacheRatio,
    GroupRatio,
    ModelPriceLists,
  } = systemOptions
  return {
    ModelRatio: read('ModelRatio', ModelRatio.schema),
    ModelPrice: read('ModelPrice', ModelPrice.schema),
    CompletionRatio: read('CompletionRatio', CompletionRatio.schema),
    CacheRatio: read('CacheRatio', CacheRatio.schema),
    CreateCacheRatio: read('CreateCacheRatio', CreateCacheRatio.schema),
    GroupRatio: read('GroupRatio', GroupRatio.schema),
    ModelPriceLists: read('ModelPriceLists', ModelPriceLists.schema),
  }
}

const textOf = (key: OptionKey, value: object | undefined): string =>
  value === undefined ? optionDefault(key) : JSON.stringify(value)

const toUsage = (usage: PricedUsage): Usage => ({ ...NO_USAGE, ...usage })

const toQuotedModel = (price: GroupPrice): QuotedModel => ({
  figures: price.figures,
  isFree: price.isFree,
  quote(priced) {
    const usage = toUsage(priced)
    const { serviceTier, region, images } = usage
    const { amount, exact, lines } = calculateCharge(price, usage)
    const held = dearestPrice(price, { serviceTier, regions: region === undefined ? [] : [region] })
    const extras = extrasOf(usage)
    const input = { inputTokens: promptTokens(usage), extras }
    const hold = holdAmount(held, { ...input, outputTokens: completionTokens(usage), images })
    const affordable = affordableOutputTokens(held, hold, input)
    return { amount, exact, lines, repriced: chargeAmount(price, usage), hold, affordable }
  },
})

/** What a channel with these terms pays for the usage, in billionths of a dollar; undefined where it is unknown. */
export function purchaseCosts(
  terms: PurchaseTerms,
): (model: string, usage: PricedUsage) => number | undefined {
  const prices = createPurchasePrices(terms)
  return (model, usage) => prices?.cost(model, toUsage(usage))
}

/** The output tokens that are held for a request without a limit. */
export const longestOutput = (model: string): number => outputLimit(model) ?? OUTPUT_LIMIT
