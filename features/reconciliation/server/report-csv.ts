import { amountCell, BYTE_ORDER_MARK, csvCell, csvHeaders } from '#server/api/csv.ts'
import type { Reconciliation } from '../contract.ts'

type CsvValue = string | number
type TotalFigures = Reconciliation['total']

const FIGURE_COLUMNS = [
  'billed_usd',
  'computed_usd',
  'difference_usd',
  'difference_percent',
  'is_marked',
  'requests',
  'unknown_cost_requests',
  'billed_requests',
] as const

const figureCells = (figures: TotalFigures): readonly CsvValue[] => [
  amountOf(figures.billed_nanos),
  amountCell(figures.computed_nanos),
  amountOf(figures.difference_nanos),
  figures.difference_percent ?? '',
  figures.is_marked ? 'yes' : '',
  figures.requests,
  figures.unknown_cost_requests,
  figures.billed_requests ?? '',
]

const amountOf = (nanos: number | null): CsvValue => (nanos === null ? '' : amountCell(nanos))

/** A reconciliation by model or day with its total, as a file named after its period. */
export function toReconciliationCsv(reconciliation: Reconciliation, by: 'model' | 'day'): Response {
  const { total, models, days, start_timestamp, end_timestamp } = reconciliation
  const rows: readonly (readonly CsvValue[])[] =
    by === 'day'
      ? [
          ['date', ...FIGURE_COLUMNS],
          ...days.map(day => [day.date, ...figureCells(day)]),
          ['(total)', ...figureCells(total)],
        ]
      : [
          ['model', ...FIGURE_COLUMNS, 'tokens', 'billed_tokens'],
          ...models.map(model => [
            model.model || '(other)',
            ...figureCells(model),
            model.tokens,
            model.billed_tokens ?? '',
          ]),
          ['(total)', ...figureCells(total), '', ''],
        ]
  const text = rows.map(cells => `${cells.map(cell => csvCell(cell)).join(',')}\r\n`).join('')
  const name = `reconciliation-by-${by}-${dateOf(start_timestamp)}-to-${dateOf(end_timestamp - 1)}.csv`
  return new Response(`${BYTE_ORDER_MARK}${text}`, { headers: csvHeaders(name) })
}

const dateOf = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toISOString().slice(0, 'yyyy-mm-dd'.length)
