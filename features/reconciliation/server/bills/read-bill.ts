import { sleepMs } from '#server/core/clock.ts'
import { add, type Decimal } from '#server/core/money.ts'
import { type BillFormat, type BillLine, findFormat } from './formats.ts'
import type { RowCells } from './read-cells.ts'
import { BillError, readCsv } from './read-csv.ts'

/** The rows of a bill for one day and one item, added up. */
export interface BillEntry extends BillLine {
  readonly rows: number
  /** Of the rows below zero: credits and corrections. */
  readonly credited: Decimal
}

export interface ProviderBill {
  readonly format: BillFormat
  readonly entries: readonly BillEntry[]
  readonly rows: number
  /** Whether the file states amounts. Files of usage state requests or tokens only. */
  readonly hasAmounts: boolean
  /** Whether each amount is in whole cents, so that each row is rounded. */
  readonly isInCents: boolean
}

/** Rows that are read before other requests get their turn. */
const ROWS_PER_TURN = 200
const ITEM_CHARS_MAX = 200
const ENTRIES_MAX = 50_000
const HEADER_CHARS_MAX = 200
const ZERO_DOLLARS: Decimal = { digits: 0n, scale: 0 }
const CENT_DIGITS = 2

/**
 * Reads a provider's bill, whose format follows from its header. Throws a BillError that names the row that cannot be
 * read.
 */
export async function readBill(text: string): Promise<ProviderBill> {
  const rows = readCsv(text)
  const header = rows.next()
  if (header.done) throw new BillError({ zh: '文件为空', en: 'the file is empty' })
  const columns = indexColumns(header.value.cells)
  const format = findFormat(new Set(columns.keys()))
  if (!format) throw unknownHeader(header.value.cells)
  const entries = new Map<string, BillEntry>()
  let count = 0
  let isInCents = true
  for (const { number, cells } of rows) {
    count += 1
    if (count % ROWS_PER_TURN === 0) await sleepMs(0)
    const line = format.read(toRowCells(columns, cells, number))
    if (!line) continue
    isInCents &&= line.dollars !== undefined && decimalsOf(line.dollars) <= CENT_DIGITS
    addLine(entries, { ...line, item: line.item.slice(0, ITEM_CHARS_MAX) })
    if (entries.size > ENTRIES_MAX)
      throw new BillError({
        zh: `日期与项目的组合超过 ${ENTRIES_MAX} 种`,
        en: `it has more than ${ENTRIES_MAX} combinations of a day and an item`,
      })
  }
  if (count === 0) throw new BillError({ zh: '表头之后没有数据', en: 'there are no rows after the header' })
  const hasAmounts = [...entries.values()].some(({ dollars }) => dollars !== undefined)
  return { format: format.format, entries: [...entries.values()], rows: count, hasAmounts, isInCents }
}

/** `BYOK Usage` and `byok_usage` are the same column. */
function indexColumns(header: readonly string[]): ReadonlyMap<string, number> {
  const columns = new Map<string, number>()
  for (const [index, name] of header.entries()) {
    const column = name.toLowerCase().replaceAll(/\s+/g, '_')
    if (column !== '' && columns.has(column))
      throw new BillError({ zh: `列 ${name} 出现两次`, en: `the column ${name} is there twice` }, 1)
    columns.set(column, index)
  }
  return columns
}

const unknownHeader = (header: readonly string[]): BillError => {
  const found = header.join(', ').slice(0, HEADER_CHARS_MAX)
  return new BillError(
    {
      zh: `无法识别表头“${found}”，支持 OpenAI、Anthropic 和 OpenRouter 的导出文件，以及含 date、model 和 cost_usd 列的文件`,
      en: `the header "${found}" is not known; exports of OpenAI, Anthropic and OpenRouter are read, and files with the columns date, model and cost_usd`,
    },
    1,
  )
}

const toRowCells = (
  columns: ReadonlyMap<string, number>,
  cells: readonly string[],
  number: number,
): RowCells => ({ number, cell: column => cells[columns.get(column) ?? -1] ?? '' })

function addLine(entries: Map<string, BillEntry>, line: BillLine): void {
  const key = `${line.day}\0${line.item}`
  const entry = entries.get(key)
  const dollars = sumOf(entry?.dollars, line.dollars, add)
  const requests = sumOf(entry?.requests, line.requests, plus)
  const inputTokens = sumOf(entry?.inputTokens, line.inputTokens, plus)
  const outputTokens = sumOf(entry?.outputTokens, line.outputTokens, plus)
  const credit = line.dollars && line.dollars.digits < 0n ? line.dollars : ZERO_DOLLARS
  entries.set(key, {
    day: line.day,
    item: line.item,
    isModel: line.isModel,
    rows: (entry?.rows ?? 0) + 1,
    credited: add(entry?.credited ?? ZERO_DOLLARS, credit),
    ...(dollars && { dollars }),
    ...(requests !== undefined && { requests }),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  })
}

const plus = (a: number, b: number): number => a + b

/** Undefined where neither side states the figure. */
function sumOf<Value>(
  sum: Value | undefined,
  value: Value | undefined,
  combine: (a: Value, b: Value) => Value,
): Value | undefined {
  if (sum === undefined || value === undefined) return sum ?? value
  return combine(sum, value)
}

/** Without zeros at the end. */
function decimalsOf({ digits, scale }: Decimal): number {
  let decimals = scale
  for (let rest = digits; decimals > 0 && rest % 10n === 0n; rest /= 10n) decimals -= 1
  return decimals
}
