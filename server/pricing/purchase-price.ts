import { PriceList } from '#contract/catalogue/price-list.ts'
import { modelFamily } from '../core/model-names.ts'
import { roundToNanos } from '../core/money.ts'
import { NO_USAGE, type Usage } from '../core/usage.ts'
import { findModel, isPriced } from './catalogue.ts'
import { addUp } from './charge.ts'
import { atFactor, type GroupPrice, roundRatio } from './price.ts'
import { createPriceBook } from './price-book.ts'

export { PriceList }

/** What the account of a channel pays its provider. */
export interface PurchaseTerms {
  /** The share of the catalogue's prices that the account pays: 0.8 for a discount of 20%. Absent: the catalogue does not apply. */
  readonly factor?: number | undefined
  /** Dollars by model, in place of the catalogue's. */
  readonly prices?: Readonly<Record<string, PriceList>> | undefined
  /** How many times the provider, a relay itself, counts what was used. It charges for what it counts. */
  readonly multiplier?: number | undefined
}

/** The purchase prices of a channel, compiled once. */
export interface PurchasePrices {
  /** What the usage of a model cost in billionths of a dollar; undefined where its price is unknown. */
  cost(model: string, usage: Usage): number | undefined
  /**
   * What a call cost that no usage is reported for, under the first of these names that has a price per call or image;
   * undefined where none has one.
   */
  callCost(models: readonly string[]): number | undefined
}

/** The list prices of all channels: the ratios of the options are what users pay. */
const catalogueBook = createPriceBook({})

/** Undefined for terms that say nothing. Throws a RangeError for factors that are not finite. */
export function createPurchasePrices({
  factor,
  prices = {},
  multiplier = 1,
}: PurchaseTerms): PurchasePrices | undefined {
  const lists = Object.entries(prices).map(([model, list]) => [model, toOwnPrices(model, list)] as const)
  if (factor === undefined && lists.length === 0) return undefined
  const own = new Map(lists.filter(([, list]) => isPriced(list)))
  const ownBook = createPriceBook({ ModelPriceLists: Object.fromEntries(own) }, () => undefined)
  const share = roundRatio((factor ?? 1) * multiplier)
  const findPrice = (model: string): GroupPrice | undefined => {
    const isOwn = own.has(modelFamily(model))
    const price = isOwn ? ownBook.find(model) : factor === undefined ? undefined : catalogueBook.find(model)
    return price && atFactor(price, isOwn ? multiplier : share)
  }
  return {
    cost(model, usage) {
      const price = findPrice(model)
      return price && roundToNanos(addUp(price, usage))
    },
    callCost(models) {
      const price = models.map(findPrice).find(one => one?.model.call !== undefined)
      return price && roundToNanos(addUp(price, NO_USAGE))
    },
  }
}

/** The kind of a model that the catalogue does not know follows from what has a price. */
const toOwnPrices = (model: string, prices: PriceList) => ({
  kind: findModel(model)?.kind ?? (prices.image === undefined ? ('chat' as const) : ('image' as const)),
  prices,
})
