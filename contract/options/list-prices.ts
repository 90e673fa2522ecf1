import lists from './list-prices.json'

/** Dollars per million input tokens at a ratio of 1. */
const DOLLARS_AT_RATIO_ONE = 2
const YUAN_PER_DOLLAR = 7.3

/** A provider's list price in its own currency, per million tokens or per call. */
interface ListPrice {
  readonly input?: number
  /** Absent: output is not priced. */
  readonly output?: number
  /** Price of cached input. Absent: the same as other input. */
  readonly cached?: number
  readonly call?: number
}

interface PriceList {
  readonly source: string
  readonly currency: string
  readonly prices: Readonly<Record<string, ListPrice>>
}

type Figures = Readonly<Record<string, number>>

function toFigures(from: readonly PriceList[]): Readonly<Record<FigureName, Figures>> {
  const prices = from.flatMap(list =>
    Object.entries(list.prices).map(([model, price]) => ({ model, price, perDollar: perDollar(list) })),
  )
  const figure = (of: (price: ListPrice, perDollar: number) => number | undefined): Figures =>
    Object.fromEntries(
      prices.flatMap(({ model, price, perDollar }) => {
        const value = of(price, perDollar)
        return value === undefined ? [] : [[model, value] as const]
      }),
    )
  return {
    modelRatio: figure(({ input }, rate) =>
      input === undefined ? undefined : rounded(input / rate / DOLLARS_AT_RATIO_ONE),
    ),
    modelPrice: figure(({ call }, rate) => (call === undefined ? undefined : rounded(call / rate))),
    completionRatio: figure(({ input, output }) => (input && output ? rounded(output / input) : undefined)),
    cacheRatio: figure(({ input, cached }) => (input && cached ? rounded(cached / input) : undefined)),
  }
}

type FigureName = 'modelRatio' | 'modelPrice' | 'completionRatio' | 'cacheRatio'

const perDollar = ({ currency }: PriceList): number => (currency === 'CNY' ? YUAN_PER_DOLLAR : 1)

/** Rounds to nine digits, so that binary fractions do not show as 0.6249999999999999. */
const rounded = (value: number): number => Number(value.toPrecision(9))

/** The providers' price lists of late 2025, converted into ratios and prices per call. */
export const listedPrices = toFigures(lists)
