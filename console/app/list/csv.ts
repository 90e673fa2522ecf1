import { toast } from '../../ui/overlays/messages.tsx'
import { errorText } from '../api/call.ts'

const BYTE_ORDER_MARK = '\uFEFF'
/**
 * Where a spreadsheet program could find the beginning of a formula: in front of the cell, or behind whatever it takes
 * for a separator.
 */
const FORMULA_START = /(^|[,;|\t\r\n])(?=[ "']*[=+\-@＝＋－＠])|^(?=[\t\r])/g
const NEEDS_QUOTES = /[",\r\n]/

type Cell = string | number

function cell(value: Cell): string {
  const text = typeof value === 'string' ? value.replaceAll(FORMULA_START, "$&'") : String(value)
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** CSV that spreadsheets open as UTF-8, with formulas escaped. */
export const toCsv = (rows: ReadonlyArray<readonly Cell[]>): string =>
  BYTE_ORDER_MARK + rows.map(row => `${row.map(cell).join(',')}\r\n`).join('')

/** Downloads a text as a file. */
export const downloadText = (name: string, text: string, type = 'text/plain'): void =>
  downloadFile(name, new Blob([text], { type: `${type};charset=utf-8` }))

/** Downloads a blob as a file. Characters that file systems reject become `_`. */
export function downloadFile(name: string, bytes: Blob): void {
  const address = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = address
  link.download = name.replaceAll(/[\\/:*?"<>|\p{C}]/gu, '_')
  link.click()
  URL.revokeObjectURL(address)
}

const EXPORT_ROWS_MAX = 1000
const EXPORT_PAGE_SIZE = 100

/** The CSV export of a list, with the filters applied. */
export interface CsvExport<Row> {
  /** Label of the button. */
  readonly label: string
  readonly fileName: string
  /** Header and value of each column. */
  readonly columns: ReadonlyArray<readonly [header: string, cell: (row: Row) => Cell]>
  /** Rows of one page, counted from 1. */
  readonly fetchPage: (page: number, size: number) => Promise<readonly Row[]>
  /** Warning when the list has more rows than an export may contain. */
  readonly tooMany: (rowsMax: number) => string
}

/** Downloads the first 1000 rows of a list as CSV. A failure shows a toast. */
export async function exportCsv<Row>({
  fileName,
  columns,
  fetchPage,
  tooMany,
}: CsvExport<Row>): Promise<void> {
  try {
    const rows: Row[] = []
    for (let page = 1; rows.length < EXPORT_ROWS_MAX; page += 1) {
      const more = await fetchPage(page, EXPORT_PAGE_SIZE)
      rows.push(...more)
      if (more.length < EXPORT_PAGE_SIZE) break
    }
    const head = columns.map(([header]) => header)
    const lines = rows.map(row => columns.map(([, cellOf]) => cellOf(row)))
    downloadText(fileName, toCsv([head, ...lines]), 'text/csv')
    if (rows.length >= EXPORT_ROWS_MAX) toast('warning', tooMany(EXPORT_ROWS_MAX))
  } catch (error) {
    toast('error', errorText(error))
  }
}
