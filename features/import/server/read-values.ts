import { UNITS_PER_DOLLAR } from '#server/core/money.ts'
import { withoutNul } from '#server/db/engine/text.ts'
import { asArray, asObject, parseJson } from '#server/provider-kit/json.ts'
import type { SourceRow } from './queries/source-database.ts'

/** Readers of single values. Databases of the same program lack columns, hold NULL, or pad texts with blanks. */

/** Two billion dollars: sums of balances stay exact in both engines. */
export const UNITS_MAX = 1_000_000_000_000_000

/** Text without the blanks with which fixed-width columns are filled; empty for NULL and absent columns. */
export const text = (row: SourceRow, column: string): string =>
  withoutNul(String(row[column] ?? '')).replace(/ +$/, '')

/** A whole number; 0 for NULL, absent and unreadable values. Beyond what stays exact, the nearest that does. */
export function integer(row: SourceRow, column: string): number {
  const value = Math.trunc(Number(row[column] ?? 0))
  if (!Number.isFinite(value)) return 0
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value))
}

export const decimalNumber = (row: SourceRow, column: string): number => {
  const value = Number(row[column] ?? 0)
  return Number.isFinite(value) ? value : 0
}

export const flag = (row: SourceRow, column: string): 0 | 1 =>
  [1, '1', 't', 'true'].includes(typeof row[column] === 'bigint' ? 1 : (row[column] ?? 0)) ? 1 : 0

/** Whole quota units. A figure that could not be added exactly is cut, and a note says so. */
export function units(row: SourceRow, column: string, notes: string[]): number {
  return withinMax(integer(row, column), `${column} is ${row[column]}`, notes)
}

/** The units of an amount in dollars, rounded once; cut like `units`. */
export function dollarUnits(row: SourceRow, column: string, notes: string[]): number {
  const dollars = Number(row[column] ?? 0)
  if (Number.isNaN(dollars)) notes.push(`${column} is not a number and came as 0`)
  const value = Number.isNaN(dollars) ? 0 : Math.round(dollars * UNITS_PER_DOLLAR)
  return withinMax(value, `${column} is ${dollars} dollars`, notes)
}

function withinMax(value: number, statement: string, notes: string[]): number {
  if (Math.abs(value) <= UNITS_MAX) return value
  const cut = Math.sign(value) * UNITS_MAX
  notes.push(`${statement}, more than this gateway counts exactly, and came as ${cut}`)
  return cut
}

/** Unix seconds of a date-time text with any number of digits after the second; null for NULL and absent columns. */
export function dateSeconds(row: SourceRow, column: string): number | null {
  const value = row[column]
  if (value === null || value === undefined || value === '') return null
  if (typeof value !== 'string') return Number(value)
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?\s*(Z|[+-]\d\d(?::?\d\d)?)?/.exec(value)
  if (!match) return 0
  const [, day, time, zone = 'Z'] = match
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone
  return Math.floor(Date.parse(`${day}T${time}${offset}`) / 1000)
}

/** A JSON object; empty for anything else. */
export const jsonObject = (value: string): Readonly<Record<string, unknown>> => asObject(parseJson(value))

/** The texts of a JSON list; empty for anything else. */
export const textList = (row: SourceRow, column: string): readonly string[] =>
  asArray(parseJson(text(row, column))).filter(entry => typeof entry === 'string')

/** A comma-separated list without blanks, empty entries or duplicates. */
export const commaList = (value: string): string =>
  [
    ...new Set(
      value
        .split(',')
        .map(entry => entry.trim())
        .filter(entry => entry !== ''),
    ),
  ].join(',')
