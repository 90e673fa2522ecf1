const BYTE_ORDER_MARK = '\uFEFF'
/** Spreadsheets read cells with these first characters as formulas. */
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/

type Cell = string | number

function cell(value: Cell): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value)
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
