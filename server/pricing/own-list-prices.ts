import type { ModelKind } from '#contract/catalogue/model-kinds.ts'
import type { OwnPrices, PriceList } from '#contract/catalogue/price-list.ts'
import { catalogueModels, familyOfDated, findModel } from './catalogue.ts'
import { findListPrice, type ListPrice, type ListPrices, toListPrice } from './list-price.ts'

/** The administrator's price lists by model. */
export type OwnPriceLists = Readonly<Record<string, OwnPrices>>

/** A changed option is a new object. */
const compiled = new WeakMap<OwnPriceLists, ListPrices>()

/** Finds the administrator's list prices, else the catalogue's. */
export function listPricesOf(lists: OwnPriceLists): ListPrices {
  const known = compiled.get(lists)
  if (known) return known
  const made = compile(lists)
  compiled.set(lists, made)
  return made
}

function compile(lists: OwnPriceLists): ListPrices {
  const own = new Map<string, ListPrice>()
  for (const [model, list] of Object.entries(lists)) {
    const price = toListPrice(list)
    if (price) own.set(model, price)
  }
  if (own.size === 0) return findListPrice
  return model => {
    const price = own.get(model)
    if (price || catalogueModels.has(model)) return price ?? findListPrice(model)
    const family = familyOfDated(model)
    return (family === undefined ? undefined : own.get(family)) ?? findListPrice(model)
  }
}

/** The list that applies to a model, in the catalogue's form; undefined for a model without one. */
export function findPriceList(lists: OwnPriceLists, model: string): OwnPrices | undefined {
  if (Object.hasOwn(lists, model)) return lists[model]
  const known = findModel(model)
  return known && { kind: known.kind, prices: known.prices }
}

/** What a model is that only its prices describe. */
export function kindOfPrices(model: string, prices: PriceList): ModelKind {
  const known = findModel(model)
  if (known) return known.kind
  return prices.input === undefined && prices.image !== undefined ? 'image' : 'chat'
}
