const BYTE_ORDER_MARK = '\uFEFF'
/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/

type Cell = string | number

function cell(value: Cell): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value)
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** CSV text that spreadsheets open as UTF-8 and that holds no formulas. */
export const toCsv = (rows: ReadonlyArray<readonly Cell[]>): string =>
  BYTE_ORDER_MARK + rows.map(row => `${row.map(cell).join(',')}\r\n`).join('')

/** Hands a text to the browser as a file. */
export const downloadText = (name: string, text: string, type = 'text/plain'): void =>
  downloadFile(name, new Blob([text], { type: `${type};charset=utf-8` }))

/** Hands bytes to the browser as a file. */
export function downloadFile(name: string, bytes: Blob): void {
  const address = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = address
  link.download = name.replaceAll(/[\\/:*?"<>|\p{C}]/gu, '_')
  link.click()
  URL.revokeObjectURL(address)
}
