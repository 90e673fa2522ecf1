import { UNITS_PER_DOLLAR } from '#server/core/money.ts'
import type { ImportedOption, Reading } from '../../import-source.ts'
import type { SourceDatabase, SourceRow } from '../../queries/source-database.ts'
import { jsonObject, text } from '../../read-values.ts'

export async function readOptionValue(database: SourceDatabase, key: string): Promise<string> {
  let after: SourceRow[string] | undefined
  for (;;) {
    const rows = await database.readPage({ table: 'options', key: 'key', after, limit: OPTIONS_AT_ONCE })
    const found = rows.find(row => text(row, 'key') === key)
    if (found) return text(found, 'value')
    if (rows.length < OPTIONS_AT_ONCE) return ''
    after = rows.at(-1)?.key
  }
}

const OPTIONS_AT_ONCE = 1000

/**
 * Ratios are units for each token and stay as they are. A price for each call is in dollars, of which a unit is another part
 * where the source counts more or fewer units to the dollar: it is converted, so that a call costs the same units.
 */
export function readOption(row: SourceRow, unitsPerDollar: string): Reading<ImportedOption> {
  const [key, value] = [text(row, 'key'), text(row, 'value')]
  const factor = Number(unitsPerDollar || UNITS_PER_DOLLAR) / UNITS_PER_DOLLAR
  if (key !== 'ModelPrice' || factor === 1 || !Number.isFinite(factor) || factor <= 0)
    return { record: { key, value }, notes: [] }
  const prices = Object.entries(jsonObject(value)).map(([model, price]) => [model, Number(price) * factor])
  return {
    record: { key, value: JSON.stringify(Object.fromEntries(prices)) },
    notes: [`a dollar is ${unitsPerDollar} units there: prices for each call were converted`],
  }
}
