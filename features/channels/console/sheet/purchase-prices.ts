import { z } from 'zod'
import { currentLanguage } from '#console/ui/text/text.ts'
import { findPriceListProblem } from '#contract/entities/channels/purchase-prices.ts'
import type { SheetTranslate } from './text.ts'

/** The prices that have columns of their own, in dollars. */
export const PRICE_COLUMNS = ['input', 'cached_input', 'output', 'request'] as const
type PriceColumn = (typeof PRICE_COLUMNS)[number]

/** Purchase prices of a model, as typed. */
export const PurchaseRow = z.object({
  model: z.string(),
  input: z.string(),
  cached_input: z.string(),
  output: z.string(),
  request: z.string(),
  /** JSON text of the other members; empty for none. */
  others: z.string(),
})
export type PurchaseRow = z.infer<typeof PurchaseRow>

export const EMPTY_ROW: PurchaseRow = {
  model: '',
  input: '',
  cached_input: '',
  output: '',
  request: '',
  others: '',
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The rows of stored price lists. Undefined for values that no row can show. */
export function readPurchaseRows(stored: unknown): readonly PurchaseRow[] | undefined {
  if (stored === undefined) return []
  if (!isObject(stored)) return undefined
  const rows = Object.entries(stored).flatMap(([model, list]) => (isObject(list) ? [toRow(model, list)] : []))
  return rows.length === Object.keys(stored).length ? rows : undefined
}

function toRow(model: string, list: Json): PurchaseRow {
  const shown = PRICE_COLUMNS.filter(column => typeof list[column] === 'number')
  const others = Object.entries(list).filter(([name]) => !shown.some(column => column === name))
  return {
    ...EMPTY_ROW,
    model,
    ...Object.fromEntries(shown.map(column => [column, String(list[column])])),
    others: others.length === 0 ? '' : JSON.stringify(Object.fromEntries(others), undefined, 2),
  }
}

const isBlank = (row: PurchaseRow): boolean => Object.values(row).every(text => text.trim() === '')

/** The price lists of the rows by model; undefined without any. The rows must have passed `findRowProblem`. */
export function writePurchaseRows(rows: readonly PurchaseRow[]): Json | undefined {
  const filled = rows.filter(row => !isBlank(row))
  if (filled.length === 0) return undefined
  return Object.fromEntries(filled.map(row => [row.model.trim(), toPriceList(row)]))
}

const toPriceList = (row: PurchaseRow): Json => ({
  ...Object.fromEntries(
    PRICE_COLUMNS.flatMap(column => (row[column].trim() === '' ? [] : [[column, Number(row[column])]])),
  ),
  ...parseOthers(row.others),
})

/** Undefined unless the text is a JSON object. */
function parseOthers(text: string): Json | undefined {
  try {
    const parsed: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** The problem with a row, with the name of its model; undefined for a usable or an empty one. */
export function findRowProblem(
  rows: readonly PurchaseRow[],
  index: number,
  t: SheetTranslate,
): string | undefined {
  const row = rows[index]
  if (!row || isBlank(row)) return undefined
  const model = row.model.trim()
  if (model === '') return t('priceModelNeeded')
  if (rows.some((other, at) => at < index && other.model.trim() === model))
    return t('priceModelTwice', { model })
  const wrong = PRICE_COLUMNS.find(column => !isPrice(row[column]))
  if (wrong) return t('priceInvalid', { model, price: t(columnText(wrong)) })
  const others = parseOthers(row.others)
  if (!others) return t('pricesNotJson', { model })
  const repeated = PRICE_COLUMNS.find(column => row[column].trim() !== '' && column in others)
  if (repeated) return t('priceTwice', { model, price: t(columnText(repeated)) })
  const problem = findPriceListProblem(toPriceList(row))
  return problem && t('priceProblem', { model, problem: problem[currentLanguage()] })
}

const isPrice = (typed: string): boolean => {
  const dollars = Number(typed)
  return Number.isFinite(dollars) && dollars >= 0
}

export const columnText = (column: PriceColumn) => `price_${column}` as const
