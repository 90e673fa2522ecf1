import { CompiledQuery, type Insertable, type QueryResult } from 'kysely'
import type { Connection } from './database.ts'
import type { Tables } from './tables.ts'

export type Cell = string | number | null

/**
 * Rows are sent in lots of 64, 48, 32 or 16 and one of the rest, so that nineteen texts per statement stay prepared
 * whatever the number of rows, and few rows are one statement.
 */
const BATCH_ROWS_MAX = 64
const BATCH_ROWS_STEP = 16

interface BulkStatement<Row, Result> {
  /** The statement around its list of rows, `(…), (…)`. */
  readonly text: (rows: string) => string
  /**
   * The statement for one row alone, whose cells are `$1`, `$2` …, in this order: without a list it costs a quarter. What
   * a column is compared with must be cast: SQLite prepares a statement anew for each value that stands there bare, since
   * its plan might depend on it.
   */
  readonly singleRowText?: string
  /** Adds one row's values, in the order of its columns. */
  readonly addCells: (row: Row, cells: Cell[]) => void
  /** Says the type of each cell where the database cannot infer it from a column. */
  readonly cellType?: 'bigint' | 'text'
  /**
   * What stands in the statement for one row, given the names of its cells and of those that all rows of a call share,
   * which are bound once. Absent: its cells in brackets. SQLite binds cells in the order in which the statement first
   * names them: those that are shared first, then the row's own in theirs.
   */
  readonly rowText?: (cells: readonly string[], shared: readonly string[]) => string
  /** What a lot of so many rows gives back. Absent: the rows that the statement returns. */
  readonly readResults?: (answer: QueryResult<unknown>, count: number) => readonly Result[]
}

/**
 * One statement for many rows, prepared once per lot size: it costs a fraction of a built query for each row.
 * `Result` is what its `returning` names; the guarantee that it does is the statement's text.
 */
export function bulkStatement<Row, Result = never>(statement: BulkStatement<Row, Result>) {
  const {
    text,
    singleRowText,
    addCells,
    cellType,
    rowText = cellsInBrackets,
    readResults = typedRows<Result>,
  } = statement
  const prepared = new Map<number, CompiledQuery>()
  const queryFor = (count: number, width: number, shared: number): CompiledQuery => {
    const known = prepared.get(count)
    if (known) return known
    const rows = rowList({ count, width, shared, cellType, rowText })
    const made = CompiledQuery.raw(count === 1 && singleRowText ? singleRowText : text(rows))
    prepared.set(count, made)
    return made
  }
  const execute = async (session: Connection, lot: readonly Row[], shared: readonly Cell[]) => {
    const parameters = [...shared]
    for (const row of lot) addCells(row, parameters)
    const width = (parameters.length - shared.length) / lot.length
    const { sql, query, queryId } = queryFor(lot.length, width, shared.length)
    return readResults(await session.executeQuery({ sql, query, queryId, parameters }), lot.length)
  }
  return async (
    session: Connection,
    rows: readonly Row[],
    shared: readonly Cell[] = [],
  ): Promise<readonly Result[]> => {
    if (rows.length === 0) return []
    if (rows.length === batchSize(rows.length)) return execute(session, rows, shared)
    const results: Result[] = []
    for (let start = 0; start < rows.length; start += batchSize(rows.length - start)) {
      const lot = rows.slice(start, start + batchSize(rows.length - start))
      results.push(...(await execute(session, lot, shared)))
    }
    return results
  }
}

const cellsInBrackets = (cells: readonly string[]): string => `(${cells.join(', ')})`

/** One statement, prepared once. `Result` is what its `returning` names or what it selects. */
export function singleStatement<Result = never>(text: string) {
  const { sql, query, queryId } = CompiledQuery.raw(text)
  return async (session: Connection, ...parameters: readonly Cell[]): Promise<readonly Result[]> =>
    typedRows<Result>(await session.executeQuery({ sql, query, queryId, parameters }))
}

/** Inserts rows into the named columns. `tail` may resolve conflicts or return columns. */
export function bulkInsert<
  T extends keyof Tables,
  C extends keyof Insertable<Tables[T]> & string,
  Result = never,
>(table: T, columns: readonly C[], tail = '') {
  const into = insertInto(table, columns)
  return bulkStatement<{ readonly [Column in C]: Cell }, Result>({
    text: rows => `${into(rows)} ${tail}`,
    addCells(row, cells) {
      for (const column of columns) cells.push(row[column])
    },
  })
}

/** The statement's text around its rows, for inserts that add their cells themselves: those every request comes through. */
export function insertInto(table: keyof Tables, columns: readonly string[]): (rows: string) => string {
  const names = columns.map(column => `"${column}"`).join(', ')
  return rows => `insert into ${table} (${names}) values ${rows}`
}

/** Trusts the statement to return rows of the named shape: the caller wrote both side by side. */
const typedRows = <Result>({ rows }: QueryResult<unknown>) => rows as readonly Result[]

function batchSize(left: number): number {
  if (left < BATCH_ROWS_STEP) return left
  return Math.min(BATCH_ROWS_MAX, left - (left % BATCH_ROWS_STEP))
}

interface RowList {
  readonly count: number
  readonly width: number
  /** How many cells come before those of the rows. */
  readonly shared: number
  readonly cellType: string | undefined
  readonly rowText: (cells: readonly string[], shared: readonly string[]) => string
}

function rowList({ count, width, shared, cellType, rowText }: RowList): string {
  const cell = (place: number) => (cellType ? `cast($${place} as ${cellType})` : `$${place}`)
  const cells = (start: number, length: number) => Array.from({ length }, (_, i) => cell(start + i + 1))
  return Array.from({ length: count }, (_, i) =>
    rowText(cells(shared + i * width, width), cells(0, shared)),
  ).join(', ')
}
