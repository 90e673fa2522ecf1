import type { BothLanguages } from '#server/core/language.ts'
import { parseJson } from '#server/provider-kit/json.ts'

/** Why a file is refused. */
export class BillError extends Error {
  override readonly name = 'BillError'
  readonly reason: BothLanguages
  /** Row number of a spreadsheet program: the header is row 1. Undefined: the file as a whole. */
  readonly row: number | undefined

  constructor(reason: BothLanguages, row?: number) {
    super(reason.en)
    this.reason = reason
    this.row = row
  }
}

export interface CsvRow {
  /** Row numbers of a spreadsheet program: a row with line breaks in its cells is one. */
  readonly number: number
  readonly cells: readonly string[]
}

const SEPARATORS = [',', ';', '\t'] as const
const COLUMNS_MAX = 200
const CELL_CHARS_MAX = 10_000
export const CSV_ROWS_MAX = 200_000

/**
 * Reads a CSV file (RFC 4180): the header first, then each row, all with as many cells. Commas, semicolons and tabs
 * separate, whichever the header has most of; lines end in LF, CRLF or CR, and blank ones are skipped. Throws a BillError
 * with the row for anything ambiguous.
 */
export function* readCsv(text: string): Generator<CsvRow> {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text
  if (isJson(content))
    throw new BillError({ zh: '这是 JSON，需要的是 CSV', en: 'it is JSON, and CSV is needed' })
  const cursor: Cursor = { text: content, separator: findSeparator(content), at: 0 }
  let width: number | undefined
  for (let number = 1; cursor.at < content.length; number += 1) {
    const cells = readRow(cursor, number)
    if (cells.length === 1 && cells[0] === '') continue
    if (number > CSV_ROWS_MAX)
      throw new BillError({ zh: `超过 ${CSV_ROWS_MAX} 行`, en: `there are more than ${CSV_ROWS_MAX} rows` })
    width ??= cells.length
    if (cells.length !== width)
      throw new BillError(
        {
          zh: `有 ${cells.length} 个单元格，而表头有 ${width} 个`,
          en: `it has ${cells.length} cells and the header has ${width}`,
        },
        number,
      )
    yield { number, cells }
  }
}

/** One value, or the beginning of one that is cut off or followed by others. */
const isJson = (text: string): boolean =>
  /^\s*(\{\s*"|\[\s*[{"])/.test(text) || (/^\s*[{[]/.test(text) && parseJson(text) !== undefined)

interface Cursor {
  readonly text: string
  readonly separator: string
  at: number
}

/** The separator that the first line has most of, outside of quotation marks. */
function findSeparator(text: string): string {
  const header = /^[^\r\n]*/.exec(text.trimStart())?.[0].replaceAll(/"[^"]*"/g, '') ?? ''
  const counted = SEPARATORS.map(separator => ({ separator, count: header.split(separator).length }))
  return counted.reduce((most, next) => (next.count > most.count ? next : most)).separator
}

function readRow(cursor: Cursor, number: number): string[] {
  const cells: string[] = []
  for (;;) {
    if (cells.length === COLUMNS_MAX)
      throw new BillError(
        { zh: `超过 ${COLUMNS_MAX} 列`, en: `it has more than ${COLUMNS_MAX} cells` },
        number,
      )
    const cell = cursor.text[cursor.at] === '"' ? readQuoted(cursor, number) : readPlain(cursor, number)
    if (cell.length > CELL_CHARS_MAX)
      throw new BillError(
        {
          zh: `单元格超过 ${CELL_CHARS_MAX} 个字符`,
          en: `a cell has more than ${CELL_CHARS_MAX} characters`,
        },
        number,
      )
    cells.push(cell)
    if (cursor.text[cursor.at] !== cursor.separator) break
    cursor.at += 1
  }
  if (cursor.text[cursor.at] === '\r') cursor.at += 1
  else if (cursor.text[cursor.at] !== '\n') return cells
  if (cursor.text[cursor.at] === '\n') cursor.at += 1
  return cells
}

function readPlain(cursor: Cursor, number: number): string {
  const { text, separator, at } = cursor
  let end = at
  for (; end < text.length; end += 1) {
    const character = text[end]
    if (character === separator || character === '\n' || character === '\r') break
    if (character === '"')
      throw new BillError(
        {
          zh: '引号出现在未加引号的单元格中',
          en: 'a quotation mark stands within a cell that is not quoted',
        },
        number,
      )
  }
  cursor.at = end
  return text.slice(at, end).trim()
}

function readQuoted(cursor: Cursor, number: number): string {
  const { text, separator } = cursor
  const parts: string[] = []
  for (let from = cursor.at + 1; ; ) {
    const quote = text.indexOf('"', from)
    if (quote === -1)
      throw new BillError({ zh: '引号没有结束', en: 'a quotation mark is not closed' }, number)
    parts.push(text.slice(from, quote))
    if (text[quote + 1] !== '"') {
      cursor.at = quote + 1
      break
    }
    parts.push('"')
    from = quote + 2
  }
  const next = text[cursor.at]
  if (next !== undefined && next !== separator && next !== '\n' && next !== '\r')
    throw new BillError(
      { zh: '引号之后还有文字', en: 'there is text after a closing quotation mark' },
      number,
    )
  return parts.join('').trim()
}
