import type { OwnPrices } from '#contract/catalogue/price-list.ts'
import { callPrice, listedPrices } from '#server/pricing/catalogue.ts'
import { type Price, TOKEN_BUCKETS } from '#server/pricing/price.ts'
import { createPriceBook, priceBookOf } from '#server/pricing/price-book.ts'
import { comparePrices, lineOf, type PriceDifference, priceLines } from './price-lines.ts'
import { entriesFor, type ModelEntries, type ModelOptions } from './to-options.ts'

/** The change of a model's price when the feed's price is applied. */
export interface PriceUpdate {
  readonly differences: readonly PriceDifference[]
  /** The largest change: 2 for a price that doubles, 0 for one that vanishes, infinite for one that was 0. 1: a new model. */
  readonly factor: number
  /** Free, or at least ten times dearer or cheaper: likely a mistake. */
  readonly isSuspicious: boolean
  readonly isNew: boolean
  /** The charge would equal the feed's price, to the last digit. */
  readonly isExact: boolean
}

const SUSPICIOUS_FACTOR = 10

/** Undefined for prices that charge nothing that can be counted. No differences: the model costs that already. */
export function compareWithFeed(
  options: ModelOptions,
  { model, ...proposed }: OwnPrices & { readonly model: string },
): PriceUpdate | undefined {
  const entries = entriesFor(options, model, proposed)
  if (!entries) return undefined
  const current = priceBookOf(options).find(model)
  const next = priceAt(model, entries)
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
  comparePrices(priceLines(priceAt(model, before)), priceLines(priceAt(model, after)))

/** How far a factor is from 1 in either direction; infinite for 0. */
const distance = (factor: number): number => Math.max(factor, 1 / factor)

/** The price at these entries alone. */
function priceAt(model: string, entries: ModelEntries): Price | undefined {
  const only = Object.entries(entries).flatMap(([key, entry]) =>
    entry === undefined ? [] : [[key, { [model]: entry }] as const],
  )
  return createPriceBook(Object.fromEntries(only)).find(model)
}

function chargesExactly({ ModelPriceLists: own }: ModelEntries, next: Price | undefined): boolean {
  if (!own || !next) return next !== undefined
  const tokens = listedPrices(own)
  const lines = priceLines(next)
  if (tokens.input === undefined) return lines.get('request') === callPrice(own)
  return TOKEN_BUCKETS.every(bucket => {
    const price = tokens[bucket]
    return price === undefined || lines.get(lineOf(bucket)) === price
  })
}
