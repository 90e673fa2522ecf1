import type { OptionValues } from '#contract/options/system-options.ts'
import { GatewayError } from '../core/errors.ts'
import { listPricesOf } from './own-list-prices.ts'
import { getPrice, type Price, type PriceTable } from './price.ts'

/** A pseudo group of ratio 1: prices are listed before the group ratio is applied. */
const NO_GROUP = ''

/** The prices of the options, before the ratio of a group. */
export const toPriceTable = (values: OptionValues): PriceTable => ({
  modelRatio: values.ModelRatio,
  modelPrice: values.ModelPrice,
  completionRatio: values.CompletionRatio,
  cacheRatio: values.CacheRatio,
  createCacheRatio: values.CreateCacheRatio,
  groupRatio: { [NO_GROUP]: 1 },
  listPrices: listPricesOf(values.ModelPriceLists),
})

/** The price of a model; undefined when it has none and therefore cannot be called. */
export function findPrice(prices: PriceTable, model: string): Price | undefined {
  try {
    return getPrice(prices, { model, group: NO_GROUP })
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'model_price_missing') return undefined
    throw error
  }
}
