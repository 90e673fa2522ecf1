import { type NumberTable, parseAmount, withEntry } from './option-table.ts'

/** The three options that define model prices. */
export interface PriceTables {
  readonly prices: NumberTable
  readonly ratios: NumberTable
  readonly completions: NumberTable
}

/** Prices of one model. A price per call takes precedence over the ratios. */
export interface PriceRow {
  readonly name: string
  /** Dollars per call. */
  readonly price: number | undefined
  /** A ratio of 1 is $2 per million input tokens. */
  readonly ratio: number | undefined
  readonly completion: number | undefined
}

/** Dollars per million input tokens at ratio 1. */
const DOLLARS_PER_RATIO = 2

export const dollarsOfRatio = (ratio: number): number => ratio * DOLLARS_PER_RATIO
export const ratioOfDollars = (dollars: number): number => dollars / DOLLARS_PER_RATIO

export function priceRow({ prices, ratios, completions }: PriceTables, name: string): PriceRow {
  return { name, price: prices[name], ratio: ratios[name], completion: completions[name] }
}

/** Every model with a price or a ratio, sorted by name. */
export function priceRows(tables: PriceTables): readonly PriceRow[] {
  const names = new Set([tables.prices, tables.ratios, tables.completions].flatMap(Object.keys))
  return [...names].toSorted((a, b) => a.localeCompare(b)).map(name => priceRow(tables, name))
}

/** Replaces the prices of a model. A price per call removes its ratios. */
export function withRow(tables: PriceTables, { name, price, ratio, completion }: PriceRow): PriceTables {
  const isPerCall = price !== undefined
  return {
    prices: withEntry(tables.prices, name, price),
    ratios: withEntry(tables.ratios, name, isPerCall ? undefined : ratio),
    completions: withEntry(tables.completions, name, isPerCall ? undefined : completion),
  }
}

export const withoutModel = (tables: PriceTables, name: string): PriceTables =>
  withRow(tables, { name, price: undefined, ratio: undefined, completion: undefined })

const WILDCARD = '*'

/** Models with neither a price nor a ratio. A price name that ends in `*` covers all models with that prefix. */
export function unpricedModels(
  models: readonly string[],
  { prices, ratios }: PriceTables,
): readonly string[] {
  const known = [...Object.keys(prices), ...Object.keys(ratios)]
  const heads = known.filter(name => name.endsWith(WILDCARD)).map(name => name.slice(0, -1))
  const names = new Set(known)
  return models.filter(model => !names.has(model) && !heads.some(head => model.startsWith(head)))
}

export const CSV_HEAD = ['model', 'fixed_price', 'model_ratio', 'completion_ratio'] as const

export const csvLine = ({ name, price, ratio, completion }: PriceRow): readonly (string | number)[] => [
  name,
  price ?? '',
  ratio ?? '',
  completion ?? '',
]

export type ParsedCsv =
  | { readonly rows: readonly PriceRow[] }
  /** Line number, counted from 1. */
  | { readonly badLine: number }

const CELL = /("(?:[^"]|"")*"|[^,]*)(,|$)/y

function parseCells(line: string): readonly string[] {
  const cells: string[] = []
  CELL.lastIndex = 0
  for (let match = CELL.exec(line); match; match = CELL.exec(line)) {
    const [, cell = '', end] = match
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell.trim())
    if (end === '') break
  }
  return cells
}

/** Parses an exported file. The first line is the header; empty cells mean no value. */
export function parseCsv(text: string): ParsedCsv {
  const rows: PriceRow[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === '') continue
    const [name = '', ...cells] = parseCells(line)
    const figures = [0, 1, 2].map(cell => cells[cell] ?? '')
    const isWrong = figures.some(cell => cell !== '' && parseAmount(cell) === undefined)
    if (name === '' || isWrong) return { badLine: index + 1 }
    const [price, ratio, completion] = figures.map(parseAmount)
    rows.push({ name, price, ratio, completion })
  }
  return { rows }
}
