import { type Comparison, renderComparison } from './compare-charges.ts'
import type { ImportKind } from './import-source.ts'

/** A row of the source that did not come, or that the operator should look at. */
interface ReportedRow {
  /** The row's key in the source. */
  readonly row: string
  readonly name: string
  readonly reason: string
}

/** Rows of one kind: all are counted, the first are kept. */
interface ReportedRows {
  count: number
  readonly rows: ReportedRow[]
}

/** A source of a million bad rows must not fill the memory. */
const ROWS_KEPT_MAX = 50_000

export function addRows(list: ReportedRows, rows: readonly ReportedRow[]): void {
  list.count += rows.length
  list.rows.push(...rows.slice(0, Math.max(0, ROWS_KEPT_MAX - list.rows.length)))
}

interface TableReport {
  readonly table: string
  read: number
  brought: number
  /** Came with an earlier import. */
  present: number
  readonly skipped: ReportedRows
  /** Came, but with a question to the operator. */
  readonly questions: ReportedRows
}

/** What an import did, by kind, in the order in which it happened. */
export interface ImportReport {
  readonly program: string
  readonly isDryRun: boolean
  readonly tables: Map<ImportKind, TableReport>
  readonly remarks: readonly string[]
  /** What the requests of the last days cost there and would cost here, where that was asked. */
  readonly comparison?: Comparison
}

/** The days of the other gateway's log that are compared. */
export const COMPARED_DAYS = 30

export const tableReport = (report: ImportReport, kind: ImportKind, table: string): TableReport => {
  const found = report.tables.get(kind) ?? {
    table,
    read: 0,
    brought: 0,
    present: 0,
    skipped: { count: 0, rows: [] },
    questions: { count: 0, rows: [] },
  }
  report.tables.set(kind, found)
  return found
}

/** Adds questions about channels, where the source has a table of them. */
export function addChannelQuestions(report: ImportReport, rows: readonly ReportedRow[]): void {
  const channels = report.tables.get('channels')
  if (channels) addRows(channels.questions, rows)
}

const COLUMN_WIDTH = 12
const KIND_WIDTH = 14
const REASONS_SHOWN_MAX = 20

/** The report for a terminal: figures by table, then each reason with the first row that it concerns. */
export function renderSummary(report: ImportReport): string {
  const header = `${'table'.padEnd(KIND_WIDTH)}${['read', 'brought', 'present', 'skipped', 'questions'].map(title => title.padStart(COLUMN_WIDTH)).join('')}`
  const lines = [...report.tables].map(([kind, table]) =>
    [kind.padEnd(KIND_WIDTH), ...figuresOf(table).map(figure => String(figure).padStart(COLUMN_WIDTH))].join(
      '',
    ),
  )
  const reasons = [...report.tables].flatMap(([kind, table]) => [
    ...reasonLines(`${kind} skipped`, table.skipped),
    ...reasonLines(`${kind} questions`, table.questions),
  ])
  const title = report.isDryRun
    ? `${report.program}: nothing was written, this is what an import would bring`
    : `${report.program}: imported`
  const compared = report.comparison ? ['', ...renderComparison(report.comparison, COMPARED_DAYS)] : []
  return [title, '', header, ...lines, '', ...reasons, ...report.remarks, ...compared].join('\n')
}

/** The report as a file: everything in the summary, and each row. */
export const renderReport = (report: ImportReport): string =>
  `${JSON.stringify({ ...report, tables: Object.fromEntries(report.tables) }, null, 2)}\n`

const figuresOf = ({ read, brought, present, skipped, questions }: TableReport): readonly number[] => [
  read,
  brought,
  present,
  skipped.count,
  questions.count,
]

function reasonLines(title: string, { count, rows }: ReportedRows): readonly string[] {
  const byReason = Map.groupBy(rows, row => row.reason)
  const lines = [...byReason].slice(0, REASONS_SHOWN_MAX).map(([reason, [first, ...others]]) => {
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    return `${title}: ${reason} (row ${first?.row}${first?.name ? `, ${first.name}` : ''}${more})`
  })
  const [hidden, dropped] = [byReason.size - lines.length, count - rows.length]
  return [
    ...lines,
    ...(hidden > 0 ? [`${title}: ${hidden} more reasons, see --report FILE`] : []),
    ...(dropped > 0 ? [`${title}: ${dropped} more rows were counted, but not kept for the report`] : []),
  ]
}
