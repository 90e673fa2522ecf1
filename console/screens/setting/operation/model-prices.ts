import { type Figures, figureOf, withEntry } from './option-table.ts'

/** The three tables that say what a model costs. */
export interface PriceTables {
  readonly prices: Figures
  readonly ratios: Figures
  readonly completions: Figures
}

/** What is kept of one model. With a price per call the ratios are ignored. */
export interface PriceRow {
  readonly name: string
  /** Dollars per call. */
  readonly price: number | undefined
  /** 1 is $2 for a million input tokens. */
  readonly ratio: number | undefined
  readonly completion: number | undefined
}

/** Dollars of a million input tokens at ratio 1. */
const DOLLARS_PER_RATIO = 2

export const dollarsOfRatio = (ratio: number): number => ratio * DOLLARS_PER_RATIO
export const ratioOfDollars = (dollars: number): number => dollars / DOLLARS_PER_RATIO

export function rowOf({ prices, ratios, completions }: PriceTables, name: string): PriceRow {
  return { name, price: prices[name], ratio: ratios[name], completion: completions[name] }
}

/** Every model that has a price or a ratio of its own, by name. */
export function rowsOf(tables: PriceTables): readonly PriceRow[] {
  const names = new Set([tables.prices, tables.ratios, tables.completions].flatMap(Object.keys))
  return [...names].toSorted((a, b) => a.localeCompare(b)).map(name => rowOf(tables, name))
}

/** The tables with this row in place of what they had for the model. A price per call takes the ratios away. */
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

/** The models that have neither a price nor a ratio. A name that ends in `*` stands for all that begin so. */
export function unpricedOf(models: readonly string[], { prices, ratios }: PriceTables): readonly string[] {
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

export type ReadRows =
  | { readonly rows: readonly PriceRow[] }
  /** Counts from 1. */
  | { readonly badLine: number }

const CELL = /("(?:[^"]|"")*"|[^,]*)(,|$)/y

function cellsIn(line: string): readonly string[] {
  const cells: string[] = []
  CELL.lastIndex = 0
  for (let match = CELL.exec(line); match; match = CELL.exec(line)) {
    const [, cell = '', end] = match
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell.trim())
    if (end === '') break
  }
  return cells
}

/** Reads a file as the export writes it. The first line is its head; an empty cell is no figure. */
export function rowsInCsv(text: string): ReadRows {
  const rows: PriceRow[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === '') continue
    const [name = '', ...cells] = cellsIn(line)
    const figures = [0, 1, 2].map(cell => cells[cell] ?? '')
    const isWrong = figures.some(cell => cell !== '' && figureOf(cell) === undefined)
    if (name === '' || isWrong) return { badLine: index + 1 }
    const [price, ratio, completion] = figures.map(figureOf)
    rows.push({ name, price, ratio, completion })
  }
  return { rows }
}
