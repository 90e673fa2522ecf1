import { CompiledQuery, type Insertable, type QueryResult } from 'kysely'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'

export type Cell = string | number | null

/**
 * Rows are sent in lots of 64, 48, 32 or 16 and one of the rest, so that nineteen texts per statement stay prepared
 * whatever the number of rows, and few rows are one statement.
 */
const LOT_ROWS_MAX = 64
const LOT_ROWS_STEP = 16

interface BulkStatement<Row, Result> {
  /** The statement around its list of rows, `(…), (…)`. */
  readonly text: (rows: string) => string
  /**
   * The statement for one row alone, whose cells are `$1`, `$2` …, in this order: without a list it costs a quarter. What
   * a column is compared with must be cast: SQLite prepares a statement anew for each value that stands there bare, since
   * its plan might depend on it.
   */
  readonly alone?: string
  /** Adds one row's values, in the order of its columns. */
  readonly addCells: (row: Row, cells: Cell[]) => void
  /** Says the type of each cell where the database cannot infer it from a column. */
  readonly cellType?: 'bigint' | 'text'
  /** Texts at the head of each row that are the same in all of them. */
  readonly same?: readonly string[]
  /** What a lot of so many rows gives back. Absent: the rows that the statement returns. */
  readonly resultsOf?: (answer: QueryResult<unknown>, count: number) => readonly Result[]
}

/**
 * One statement for many rows, prepared once per lot size: it costs a fraction of a built query for each row.
 * `Result` is what its `returning` names; the guarantee that it does is the statement's text.
 */
export function bulk<Row, Result = never>(statement: BulkStatement<Row, Result>) {
  const { text, alone, addCells, cellType, same = [], resultsOf = rowsOf<Result> } = statement
  const prepared = new Map<number, CompiledQuery>()
  const queryFor = (count: number, width: number): CompiledQuery => {
    const known = prepared.get(count)
    if (known) return known
    const made = CompiledQuery.raw(
      count === 1 && alone ? alone : text(rowList({ count, width, cellType, same })),
    )
    prepared.set(count, made)
    return made
  }
  const execute = async (session: Session, lot: readonly Row[]): Promise<readonly Result[]> => {
    const parameters: Cell[] = []
    for (const row of lot) addCells(row, parameters)
    const { sql, query, queryId } = queryFor(lot.length, parameters.length / lot.length)
    return resultsOf(await session.executeQuery({ sql, query, queryId, parameters }), lot.length)
  }
  return async (session: Session, rows: readonly Row[]): Promise<readonly Result[]> => {
    if (rows.length === 0) return []
    if (rows.length === lotSize(rows.length)) return execute(session, rows)
    const results: Result[] = []
    for (let start = 0; start < rows.length; start += lotSize(rows.length - start))
      results.push(...(await execute(session, rows.slice(start, start + lotSize(rows.length - start)))))
    return results
  }
}

/** One statement, prepared once. `Result` is what its `returning` names or what it selects. */
export function single<Result = never>(text: string) {
  const { sql, query, queryId } = CompiledQuery.raw(text)
  return async (session: Session, ...parameters: readonly Cell[]): Promise<readonly Result[]> =>
    rowsOf<Result>(await session.executeQuery({ sql, query, queryId, parameters }))
}

/**
 * Inserts rows into the named columns. `tail` may resolve conflicts or return columns; `same` holds texts of columns
 * that are alike in every row, which stand in the statement: they cost nothing for each row.
 */
export function bulkInsert<
  T extends keyof Tables,
  C extends keyof Insertable<Tables[T]> & string,
  Result = never,
>(table: T, columns: readonly C[], tail = '', same: Readonly<Record<string, string>> = {}) {
  const into = insertInto(table, [...Object.keys(same), ...columns])
  return bulk<{ readonly [Column in C]: Cell }, Result>({
    text: rows => `${into(rows)} ${tail}`,
    addCells(row, cells) {
      for (const column of columns) cells.push(row[column])
    },
    same: Object.values(same),
  })
}

/** The statement's text around its rows, for inserts that add their cells themselves: those every request comes through. */
export function insertInto(table: keyof Tables, columns: readonly string[]): (rows: string) => string {
  const names = columns.map(column => `"${column}"`).join(', ')
  return rows => `insert into ${table} (${names}) values ${rows}`
}

/** Trusts the statement to return rows of the named shape: the caller wrote both side by side. */
const rowsOf = <Result>({ rows }: QueryResult<unknown>) => rows as readonly Result[]

function lotSize(left: number): number {
  if (left < LOT_ROWS_STEP) return left
  return Math.min(LOT_ROWS_MAX, left - (left % LOT_ROWS_STEP))
}

interface RowList {
  readonly count: number
  readonly width: number
  readonly cellType: string | undefined
  readonly same: readonly string[]
}

function rowList({ count, width, cellType, same }: RowList): string {
  const head = same.map(text => `'${text}'`)
  const cell = (index: number) => (cellType ? `cast($${index} as ${cellType})` : `$${index}`)
  const row = (start: number) =>
    `(${[...head, ...Array.from({ length: width }, (_, i) => cell(start + i + 1))].join(', ')})`
  return Array.from({ length: count }, (_, i) => row(i * width)).join(', ')
}
