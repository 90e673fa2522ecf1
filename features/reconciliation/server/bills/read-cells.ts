import type { Decimal } from '#server/core/money.ts'
import { BillError } from './read-csv.ts'

/** The cells of one row by the name of their column. */
export interface RowCells {
  readonly number: number
  /** Empty for columns that the file does not have. */
  cell(column: string): string
}

const AMOUNT = /^(-?)\$?(-?)(\d{1,3}(?:,\d{3})+|\d*)(?:\.(\d*))?(?:e([+-]?\d{1,2}))?$/i
const DIGITS_MAX = 60
/** A row beyond this is a mistake. */
const DOLLARS_MAX = 1_000_000n

/** Dollars, exactly as they are written: `0.0038359800`, `-1.5`, `$1,234.50`, `4e-7`. Throws a BillError for anything else. */
export function readDollars(row: RowCells, column: string): Decimal {
  const text = row.cell(column)
  const [, minus = '', innerMinus = '', integer = '', fraction = '', exponent = '0'] = AMOUNT.exec(text) ?? []
  const digits = integer.replaceAll(',', '') + fraction
  if (digits === '' || digits.length > DIGITS_MAX || (minus !== '' && innerMinus !== ''))
    throw cellError(row, column, {
      zh: '不是以美元表示的数字',
      en: 'is not a number of dollars',
    })
  const isNegative = minus !== '' || innerMinus !== ''
  const value = toDecimal(BigInt(isNegative ? `-${digits}` : digits), fraction.length - Number(exponent))
  if (isBeyond(value))
    throw cellError(row, column, {
      zh: `超过 ${DOLLARS_MAX} 美元`,
      en: `is beyond ${DOLLARS_MAX} dollars`,
    })
  return value
}

const toDecimal = (digits: bigint, scale: number): Decimal =>
  scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }

function isBeyond({ digits, scale }: Decimal): boolean {
  const size = digits < 0n ? -digits : digits
  return size > DOLLARS_MAX * 10n ** BigInt(scale)
}

const COUNT = /^\d{1,15}(?:\.0+)?$/

/** A whole number, which some exports write as `10.0`. Throws a BillError for anything else. */
export function readCount(row: RowCells, column: string): number {
  const text = row.cell(column)
  if (!COUNT.test(text))
    throw cellError(row, column, { zh: '不是非负整数', en: 'is not a whole number from 0' })
  return Number(text)
}

const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)( ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?$/
const EPOCH = /^\d{10}(?:\.0+)?$/
const DAY_CHARS = 10
const FIRST_YEAR = 2020
const LAST_YEAR = 2100

/** The day in UTC, `2026-11-27`, of a date, a time without a zone, which is UTC, or Unix seconds. Throws a BillError. */
export function readDay(row: RowCells, column: string): string {
  const text = row.cell(column)
  const time = EPOCH.test(text) ? Number(text) * 1000 : timeOf(text)
  const day = Number.isFinite(time) ? new Date(time).toISOString().slice(0, DAY_CHARS) : ''
  const year = Number(day.slice(0, 'yyyy'.length))
  if (year < FIRST_YEAR || year > LAST_YEAR)
    throw cellError(row, column, { zh: '不是 2026-11-27 形式的日期', en: 'is not a date like 2026-11-27' })
  return day
}

/** NaN for texts that are no date, and for dates that do not exist. */
function timeOf(text: string): number {
  const [, year, month, date, time = '00:00', zone = 'Z'] = DATE.exec(text) ?? []
  if (year === undefined || month === undefined || date === undefined) return Number.NaN
  const day = `${year}-${month}-${date}`
  const start = Date.parse(`${day}T00:00:00Z`)
  // The engine reads February 30 as March 2.
  if (!Number.isFinite(start) || !new Date(start).toISOString().startsWith(day)) return Number.NaN
  return Date.parse(`${day}T${time}${zone.trim().replace('UTC', 'Z')}`)
}

const FOUND_CHARS_MAX = 40

export function cellError(
  row: RowCells,
  column: string,
  { zh, en }: { readonly zh: string; readonly en: string },
): BillError {
  const found = row.cell(column).slice(0, FOUND_CHARS_MAX)
  return new BillError({ zh: `${column} 的值“${found}”${zh}`, en: `${column} "${found}" ${en}` }, row.number)
}
