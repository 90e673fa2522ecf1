import { CompiledQuery, type Insertable, type QueryResult } from 'kysely'
import type { Connection } from './database.ts'
import type { Tables } from './tables.ts'

/** A value that is bound to a statement: the columns of both engines hold nothing else. */
export type Cell = string | number | null

/**
 * Rows are sent in batches of 64, 48, 32 or 16 and one batch of the remaining rows. At most nineteen texts per statement
 * are prepared that way whatever the number of rows, and a few rows still are one statement.
 */
const BATCH_ROWS_MAX = 64
const BATCH_ROWS_STEP = 16

interface BulkStatement<Row, Result> {
  /** The statement around its list of rows, `(…), (…)`. */
  readonly text: (rows: string) => string
  /**
   * The statement for a single row, whose cells are `$1`, `$2` … in the order of `addCells`: without a list of rows it costs
   * a quarter. Cast each cell that a column is compared with: SQLite prepares a statement anew for every value of a bare
   * parameter, since the query plan might depend on it.
   */
  readonly singleRowText?: string
  /** Appends the values of a row, in the order of its columns. An array for each row would cost more than its binding. */
  readonly addCells: (row: Row, cells: Cell[]) => void
  /** The type of each cell, for statements in which the database cannot infer it from a column. */
  readonly cellType?: 'bigint' | 'text'
  /** Reads the results of one batch of `count` rows. Default: the rows that the statement returns. */
  readonly readResults?: (result: QueryResult<unknown>, count: number) => readonly Result[]
}

/**
 * One statement for many rows, prepared once per batch size: a fraction of the cost of a query that is built per row.
 * `Result` is the shape of a returned row; the author of the statement's text vouches for it.
 */
export function bulkStatement<Row, Result = never>(statement: BulkStatement<Row, Result>) {
  const { addCells, readResults = typedRows<Result> } = statement
  const prepared = new Map<number, CompiledQuery>()
  const prepare = (count: number, cells: readonly Cell[]): CompiledQuery => {
    const query = prepared.get(count) ?? CompiledQuery.raw(statementText(statement, count, cells.length))
    prepared.set(count, query)
    return query
  }
  const execute = async (connection: Connection, batch: readonly Row[]) => {
    const parameters: Cell[] = []
    for (const row of batch) addCells(row, parameters)
    const { sql, query, queryId } = prepare(batch.length, parameters)
    return readResults(await connection.executeQuery({ sql, query, queryId, parameters }), batch.length)
  }
  return async (connection: Connection, rows: readonly Row[]): Promise<readonly Result[]> => {
    const results: Result[] = []
    for (let start = 0; start < rows.length; start += batchSize(rows.length - start)) {
      const batch = rows.slice(start, start + batchSize(rows.length - start))
      results.push(...(await execute(connection, batch)))
    }
    return results
  }
}

/** A single statement, prepared once. `Result` is the shape of the rows that it selects or returns. */
export function singleStatement<Result = never>(text: string) {
  const { sql, query, queryId } = CompiledQuery.raw(text)
  return async (connection: Connection, ...parameters: readonly Cell[]): Promise<readonly Result[]> =>
    typedRows<Result>(await connection.executeQuery({ sql, query, queryId, parameters }))
}

/** A bulk statement that inserts rows into the named columns. `tail` may resolve conflicts or return columns. */
export function bulkInsert<
  T extends keyof Tables,
  C extends keyof Insertable<Tables[T]> & string,
  Result = never,
>(table: T, columns: readonly C[], tail = '') {
  const { text, addCells } = insertInto(table, columns)
  return bulkStatement<{ readonly [Column in C]: Cell }, Result>({
    text: rows => `${text(rows)} ${tail}`,
    addCells,
  })
}

/** The text and the cells of an insert into the named columns, for statements that read their results in their own way. */
export function insertInto<C extends string>(table: keyof Tables, columns: readonly C[]) {
  const names = columns.map(column => `"${column}"`).join(', ')
  return {
    text: (rows: string) => `insert into ${table} (${names}) values ${rows}`,
    addCells(row: { readonly [Column in C]: Cell }, cells: Cell[]): void {
      for (const column of columns) cells.push(row[column])
    },
  }
}

/** Trusts that the statement returns rows of this shape: its author wrote both side by side. */
const typedRows = <Result>({ rows }: QueryResult<unknown>) => rows as readonly Result[]

function batchSize(rowsLeft: number): number {
  if (rowsLeft < BATCH_ROWS_STEP) return rowsLeft
  return Math.min(BATCH_ROWS_MAX, rowsLeft - (rowsLeft % BATCH_ROWS_STEP))
}

function statementText<Row, Result>(
  { text, singleRowText, cellType }: BulkStatement<Row, Result>,
  rowCount: number,
  cellCount: number,
): string {
  if (rowCount === 1 && singleRowText) return singleRowText
  const width = cellCount / rowCount
  const cell = (index: number) => (cellType ? `cast($${index + 1} as ${cellType})` : `$${index + 1}`)
  const row = (index: number) => Array.from({ length: width }, (_, column) => cell(index * width + column))
  return text(Array.from({ length: rowCount }, (_, index) => `(${row(index).join(', ')})`).join(', '))
}
