import { figureOf } from './figures.ts'
import { dollarsOfRatio, type PriceRow, ratioOfDollars } from './prices.ts'

export type Pricing = 'byToken' | 'byMillion' | 'byCall'

/** What stands in the dialog, as it was typed. */
export interface PriceForm {
  readonly name: string
  readonly pricing: Pricing
  readonly price: string
  readonly ratio: string
  readonly completion: string
  readonly input: string
  readonly output: string
}

const DIGITS = 9
const typed = (value: number | undefined): string =>
  value === undefined ? '' : String(Number(value.toPrecision(DIGITS)))

export function formOf(row: PriceRow): PriceForm {
  const { name, price, ratio, completion } = row
  const input = ratio === undefined ? undefined : dollarsOfRatio(ratio)
  return {
    name,
    pricing: price === undefined ? 'byToken' : 'byCall',
    price: typed(price),
    ratio: typed(ratio),
    completion: typed(completion),
    input: typed(input),
    output: input === undefined || completion === undefined ? '' : typed(input * completion),
  }
}

export type PriceProblem = 'modelNeeded' | 'modelTaken' | 'numberNeeded'
type Problems = Partial<Record<keyof PriceForm, PriceProblem>>

const NEEDED = { byToken: ['ratio'], byMillion: ['input'], byCall: ['price'] } as const
const OPTIONAL = { byToken: ['completion'], byMillion: ['output'], byCall: [] } as const

/** What is wrong with the fields that count. `taken` are the models that have a price already. */
export function problemsOf(form: PriceForm, taken: readonly string[]): Problems {
  const name = form.name.trim()
  const problems: Problems = {}
  if (name === '') problems.name = 'modelNeeded'
  else if (taken.includes(name)) problems.name = 'modelTaken'
  for (const field of NEEDED[form.pricing])
    if (figureOf(form[field]) === undefined) problems[field] = 'numberNeeded'
  for (const field of OPTIONAL[form.pricing])
    if (form[field].trim() !== '' && figureOf(form[field]) === undefined) problems[field] = 'numberNeeded'
  return problems
}

/** The row that the fields give. They must have no problems. */
export function rowOfForm(form: PriceForm): PriceRow {
  const name = form.name.trim()
  if (form.pricing === 'byCall')
    return { name, price: figureOf(form.price), ratio: undefined, completion: undefined }
  if (form.pricing === 'byToken')
    return { name, price: undefined, ratio: figureOf(form.ratio), completion: figureOf(form.completion) }
  const input = figureOf(form.input) ?? 0
  const output = figureOf(form.output)
  const completion = output === undefined || input === 0 ? undefined : output / input
  return { name, price: undefined, ratio: ratioOfDollars(input), completion }
}
