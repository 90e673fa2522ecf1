import { CompiledQuery, type DatabaseConnection, type Insertable } from 'kysely'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

type Cell = string | number | null

/**
 * Rows are sent in lots of 64, 48, 32 or 16 and one of the rest, so that nineteen texts per statement stay prepared
 * whatever the number of rows, and few rows are one statement.
 */
const LOT_ROWS_MAX = 64
const LOT_ROWS_STEP = 16

interface BulkStatement<Row> {
  /** The statement around its list of rows, `(…), (…)`. */
  readonly text: (rows: string) => string
  /** Adds one row's values, in the order of its columns. */
  readonly addCells: (row: Row, cells: Cell[]) => void
  /** Says the type of each cell where the database cannot infer it from a column. */
  readonly cellType?: 'bigint' | 'text'
  /** Texts at the head of each row that are the same in all of them. */
  readonly same?: readonly string[]
}

/**
 * One statement for many rows, prepared once per lot size: it costs a fraction of a built query for each row.
 * `Result` is what its `returning` names; the guarantee that it does is the statement's text.
 */
export function bulk<Row, Result = never>({ text, addCells, cellType, same = [] }: BulkStatement<Row>) {
  const prepared = new Map<number, CompiledQuery<Result>>()
  const queryFor = (count: number, width: number): CompiledQuery<Result> => {
    const known = prepared.get(count)
    if (known) return known
    const made = rawQuery<Result>(text(rowList({ count, width, cellType, same })))
    prepared.set(count, made)
    return made
  }
  const execute = async (connection: DatabaseConnection, lot: readonly Row[]): Promise<readonly Result[]> => {
    const parameters: Cell[] = []
    for (const row of lot) addCells(row, parameters)
    const query = queryFor(lot.length, parameters.length / lot.length)
    const { rows } = await connection.executeQuery<Result>({ ...query, parameters })
    return rows
  }
  return async (db: Database, rows: readonly Row[]): Promise<readonly Result[]> => {
    if (rows.length === 0) return []
    return db.getExecutor().provideConnection(async connection => {
      if (rows.length === lotSize(rows.length)) return execute(connection, rows)
      const results: Result[] = []
      for (let start = 0; start < rows.length; start += lotSize(rows.length - start))
        results.push(...(await execute(connection, rows.slice(start, start + lotSize(rows.length - start)))))
      return results
    })
  }
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
  const names = [...Object.keys(same), ...columns].map(column => `"${column}"`).join(', ')
  return bulk<{ readonly [Column in C]: Cell }, Result>({
    text: rows => `insert into ${table} (${names}) values ${rows} ${tail}`,
    addCells(row, cells) {
      for (const column of columns) cells.push(row[column])
    },
    same: Object.values(same),
  })
}

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

/** Trusts the text to return rows of the named shape: the caller wrote both side by side. */
const rawQuery = <Row>(text: string): CompiledQuery<Row> => CompiledQuery.raw(text) as CompiledQuery<Row>
