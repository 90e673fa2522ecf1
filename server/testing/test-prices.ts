import { createPriceBook, type PriceBook } from '../pricing/price-book.ts'
import type { PriceOptions } from '../pricing/ratio-rules.ts'

/** Prices of these options alone: the models of the catalogue have no list price, and responses of `lab` are short. */
export const testPrices = (options: PriceOptions): PriceBook =>
  createPriceBook(
    { ModelOutputLimit: { lab: 1_000 }, GroupRatio: { default: 1 }, ...options },
    () => undefined,
  )
