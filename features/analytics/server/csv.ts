import { amountCell, BYTE_ORDER_MARK, csvCell, csvHeaders } from '#server/api/csv.ts'
import { NANOS_PER_UNIT } from '#server/core/money.ts'
import { type AnalyticsFigures, type AnalyticsReport, TOKEN_FIGURES } from '../contract.ts'
import type { ReportQuery } from './report.ts'

/** Users see neither cost nor margin. */
type ExportViewer = 'admin' | 'self'

const PERCENTILE_COLUMNS = ['first_token_p50', 'first_token_p95', 'duration_p50', 'duration_p95'] as const

/** The groups of a report, what they leave out, and the total, as a file named after what is in it. */
export function toReportCsv(
  report: AnalyticsReport,
  { by, second }: ReportQuery,
  viewer: ExportViewer,
): Response {
  const dimensions = second === '' || second === by ? [by] : [by, second]
  const hasPercentiles = report.total.duration_p50 !== undefined
  const columns = [
    ...columnNames(viewer),
    ...(hasPercentiles ? PERCENTILE_COLUMNS.map(name => `${name}_ms`) : []),
  ]
  const rest = dimensions.slice(1).map(() => '')
  const lines = [
    [...dimensions, ...columns],
    ...report.groups.map(group => [
      ...[labelOf(group.name, group.value), labelOf(group.second_name, group.second_value)].slice(
        0,
        dimensions.length,
      ),
      ...cellsOf(group.figures, viewer, hasPercentiles),
    ]),
    ...(report.has_more ? [['(others)', ...rest, ...cellsOf(othersOf(report), viewer, hasPercentiles)]] : []),
    ['(total)', ...rest, ...cellsOf(report.total, viewer, hasPercentiles)],
  ]
  const text = lines.map(cells => `${cells.map(cell => csvCell(cell)).join(',')}\r\n`).join('')
  return new Response(`${BYTE_ORDER_MARK}${text}`, { headers: csvHeaders(filenameOf(report, dimensions)) })
}

/** Ids without a name are of deleted records, and 0 is of none. */
function labelOf(name: string, value: string): string {
  if (name !== '' || value === '') return name
  return value === '0' ? '(none)' : `#${value}`
}

const columnNames = (viewer: ExportViewer): string[] => [
  'requests',
  'errors',
  'revenue_usd',
  ...(viewer === 'admin' ? ['cost_usd', 'margin_usd'] : []),
  ...TOKEN_FIGURES,
]

function cellsOf(
  figures: AnalyticsFigures,
  viewer: ExportViewer,
  hasPercentiles: boolean,
): (string | number)[] {
  return [
    figures.requests,
    figures.errors,
    amountCell(figures.quota * NANOS_PER_UNIT),
    ...(viewer === 'admin'
      ? [costCell(figures, figures.cost_nanos), costCell(figures, figures.margin_nanos)]
      : []),
    ...TOKEN_FIGURES.map(name => figures[name]),
    ...(hasPercentiles ? PERCENTILE_COLUMNS.map(name => figures[name] ?? '') : []),
  ]
}

/** Empty where the cost of no request is known. */
const costCell = ({ costed_quota, cost_nanos }: AnalyticsFigures, nanos: number): number | string =>
  costed_quota === 0 && cost_nanos === 0 ? '' : amountCell(nanos)

const NUMBERS = [
  'requests',
  'errors',
  'quota',
  'cost_nanos',
  'costed_quota',
  'margin_nanos',
  ...TOKEN_FIGURES,
] as const

/** The total without the groups. */
function othersOf({ total, groups }: AnalyticsReport): AnalyticsFigures {
  const others: AnalyticsFigures = { ...total }
  for (const name of PERCENTILE_COLUMNS) if (others[name] !== undefined) others[name] = null
  for (const name of NUMBERS)
    others[name] = (total[name] ?? 0) - groups.reduce((sum, { figures }) => sum + (figures[name] ?? 0), 0)
  return others
}

const dateOf = (unixSeconds: number): string => new Date(unixSeconds * 1000).toISOString().slice(0, 10)

const filenameOf = (report: AnalyticsReport, dimensions: readonly string[]): string =>
  `analytics-by-${dimensions.join('-and-')}-${dateOf(report.start_timestamp)}-to-${dateOf(report.end_timestamp - 1)}.csv`
