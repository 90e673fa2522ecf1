import { UNITS_PER_DOLLAR } from '#server/core/money.ts'
import type { ImportedOption, Reading } from '../../import-source.ts'
import type { SourceDatabase, SourceRow } from '../../queries/source-database.ts'
import { jsonObject, text } from '../../read-values.ts'
import { askAboutPayments, type SourcePrices } from './payment-options.ts'

const OPTIONS_AT_ONCE = 1000

export async function readOptionValues(database: SourceDatabase): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>()
  const next = (after?: SourceRow[string]) =>
    database.readPage({ table: 'options', key: 'key', after, limit: OPTIONS_AT_ONCE })
  for (let rows = await next(); rows.length > 0; rows = await next(rows.at(-1)?.key))
    for (const row of rows) values.set(text(row, 'key'), text(row, 'value'))
  return values
}

export interface OptionRules extends SourcePrices {
  /** Empty where it is the default. */
  readonly unitsPerDollar: string
}

export function optionRules(values: ReadonlyMap<string, string>): OptionRules {
  const read = (key: string) => jsonObject(values.get(key) ?? '')
  const expressions = read('billing_setting.billing_expr')
  const modes = Object.entries(read('billing_setting.billing_mode'))
  return {
    unitsPerDollar: values.get('QuotaPerUnit') ?? '',
    groupRatios: read('GroupRatio'),
    expressions: new Map(
      modes
        .filter(([, mode]) => mode !== 'ratio' && mode !== '')
        .map(([model, mode]) => [model, String(expressions[model] ?? mode)]),
    ),
  }
}

/**
 * Ratios are units for each token and stay as they are. A price for each call is in dollars, of which a unit is another part
 * where the source counts more or fewer units to the dollar: it is converted, so that a call costs the same units.
 */
export function readOption(row: SourceRow, rules: OptionRules): Reading<ImportedOption> {
  const [key, value] = [text(row, 'key'), text(row, 'value')]
  const questions = askAboutPayments(key, value, rules)
  if (questions.length > 0)
    return { skip: 'it decides what users pay and has no counterpart here: see the questions', questions }
  const factor = Number(rules.unitsPerDollar || UNITS_PER_DOLLAR) / UNITS_PER_DOLLAR
  const isConverted = key === 'ModelPrice' && factor !== 1 && Number.isFinite(factor) && factor > 0
  const hasExpressions = PRICES.includes(key) && rules.expressions.size > 0
  if (!isConverted && !hasExpressions) return { record: { key, value }, notes: [] }
  const prices = Object.entries(jsonObject(value))
    .filter(([model]) => !rules.expressions.has(model))
    .map(([model, price]) => [model, isConverted ? Number(price) * factor : price])
  return {
    record: { key, value: JSON.stringify(Object.fromEntries(prices)) },
    notes: isConverted
      ? [`a dollar is ${rules.unitsPerDollar} units there: prices for each call were converted`]
      : [],
  }
}

const PRICES: readonly string[] = ['ModelRatio', 'ModelPrice', 'CompletionRatio']
