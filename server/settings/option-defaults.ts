import prices from '#contract/options/default-prices.json'
import type { Option } from '#contract/options/define-option.ts'
import { isOptionKey, type OptionKey, systemOptions } from '#contract/options/system-options.ts'
import { catalogueRatios } from '../pricing/price-book.ts'

/** Models whose figures the specification fixes. */
const isFixed = (model: string): boolean =>
  Object.hasOwn(prices.model_ratio, model) || Object.hasOwn(prices.model_price, model)

const ratios: Readonly<Partial<Record<OptionKey, Readonly<Record<string, number>>>>> = catalogueRatios()

/** The options whose defaults also hold figures of the catalogue. */
const catalogued: ReadonlyMap<string, string> = new Map(
  Object.keys(systemOptions).flatMap(key => {
    if (!isOptionKey(key)) return []
    const figures = ratios[key]
    return figures ? [[key, withFigures(systemOptions[key].initial, figures)] as const] : []
  }),
)

/** The default of an option, as text. Default prices come from the specification, else from the catalogue. */
export const defaultText = (name: string, { initial }: Option<unknown>): string =>
  catalogued.get(name) ?? initial

export const optionDefault = (key: OptionKey): string => defaultText(key, systemOptions[key])

/** A price of 0 in the catalogue does not replace one that there was. */
function withFigures(initial: string, figures: Readonly<Record<string, number>>): string {
  const listed: Readonly<Record<string, number>> = JSON.parse(initial)
  const others = Object.entries(figures).filter(
    ([model, figure]) => !isFixed(model) && !(figure === 0 && listed[model]),
  )
  return JSON.stringify({ ...listed, ...Object.fromEntries(others) }, null, 2)
}
