import { z } from 'zod'
import { PriceList } from '#contract/catalogue/price-list.ts'
import { modelFamily } from '../core/model-family.ts'
import { roundToNanos } from '../core/money.ts'
import { NO_USAGE, type Usage } from '../core/usage.ts'
import { findModel } from './catalogue.ts'
import { findListPrice, type ListPrice, roundRatio, toListPrice } from './list-price.ts'
import { getPrice, type Price, type PriceTable, sumExactly } from './price.ts'

/** Purchase prices by model, as a channel's setting stores them. */
export const StoredPriceLists = z.record(z.string(), PriceList)

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
   * What a call cost that no usage is reported for, under the first of these names that has a price per call or picture;
   * undefined where none has one.
   */
  callCost(models: readonly string[]): number | undefined
}

const OWN = 'own'
const CATALOGUE = 'catalogue'
const NO_FIGURES = {}

/** Undefined for terms that say nothing. Throws a RangeError for factors that are not finite. */
export function createPurchasePrices(terms: PurchaseTerms): PurchasePrices | undefined {
  const { factor, prices = {}, multiplier = 1 } = terms
  if (factor === undefined && Object.keys(prices).length === 0) return undefined
  const own = new Map(Object.entries(prices).map(([model, list]) => [model, toOwnPrice(model, list)]))
  const findOwn = (model: string): ListPrice | undefined => own.get(model) ?? own.get(modelFamily(model))
  const ownTable = createTable({ [OWN]: multiplier }, findOwn)
  const catalogueTable = createTable({ [CATALOGUE]: roundRatio((factor ?? 1) * multiplier) }, findListPrice)
  const findPrice = (model: string): Price | undefined => {
    if (findOwn(model)) return getPrice(ownTable, { model, group: OWN })
    const isListed = factor !== undefined && findListPrice(modelFamily(model))
    return isListed ? getPrice(catalogueTable, { model, group: CATALOGUE }) : undefined
  }
  return {
    cost(model, usage) {
      const price = findPrice(model)
      return price && roundToNanos(sumExactly(price, usage))
    },
    callCost(models) {
      const price = models.map(findPrice).find(one => one?.rate.kind === 'call')
      return price && roundToNanos(sumExactly(price, NO_USAGE))
    },
  }
}

/** Only list prices: the ratios of the options are what users pay. */
const createTable = (
  groupRatio: PriceTable['groupRatio'],
  listPrices: NonNullable<PriceTable['listPrices']>,
): PriceTable => ({
  modelRatio: NO_FIGURES,
  modelPrice: NO_FIGURES,
  completionRatio: NO_FIGURES,
  cacheRatio: NO_FIGURES,
  createCacheRatio: NO_FIGURES,
  groupRatio,
  listPrices,
})

/** The kind of a model that the catalogue does not know follows from what has a price. */
function toOwnPrice(model: string, prices: PriceList): ListPrice | undefined {
  const kind = findModel(model)?.kind ?? (prices.image === undefined ? 'chat' : 'image')
  return toListPrice({ kind, prices })
}
