/** Spreadsheet programs read a CSV file as UTF-8 only when it begins with this mark. */
export const BYTE_ORDER_MARK = '\uFEFF'
/**
 * Where a spreadsheet program could find the beginning of a formula (CSV injection): in front of the cell, or behind
 * whatever it takes for a separator.
 */
const FORMULA_START = /(^|[,;|\t\r\n])(?=[ "']*[=+\-@＝＋－＠])|^(?=[\t\r])/g

/** A cell of a CSV file, in quotes where it needs them. Numbers stay numbers. */
export function csvCell(value: string | number | boolean): string {
  const text = typeof value === 'string' ? value.replaceAll(FORMULA_START, "$&'") : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The headers of a CSV file that the browser saves. */
export const csvHeaders = (filename: string): Record<string, string> => ({
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': `attachment; filename="${filename}"`,
})

const NANO_DIGITS = 9
const NANOS_PER_DOLLAR = 10n ** BigInt(NANO_DIGITS)

/** Dollars with all their digits. */
export function nanosToDollars(nanos: number): string {
  const amount = BigInt(Math.round(nanos))
  const size = amount < 0n ? -amount : amount
  const rest = String(size % NANOS_PER_DOLLAR)
    .padStart(NANO_DIGITS, '0')
    .replace(/0+$/, '')
  const integer = `${amount < 0n ? '-' : ''}${size / NANOS_PER_DOLLAR}`
  return rest === '' ? integer : `${integer}.${rest}`
}

/** A plain number, which no spreadsheet program takes for a formula. */
export const amountCell = (nanos: number): number | string => {
  const text = nanosToDollars(nanos)
  return text.startsWith('-') ? Number(text) : text
}
