import { CompiledQuery, type Insertable } from 'kysely'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

type Cell = string | number | null

/** Rows are sent in lots of 64, 32, 16 … 1, so that seven texts per statement stay prepared whatever the number of rows. */
const LOT_ROWS_MAX = 64

interface BulkStatement<Row> {
  /** The statement around its list of rows, `(…), (…)`. */
  readonly text: (rows: string) => string
  /** One row's values, in the order of its columns. */
  readonly cells: (row: Row) => readonly Cell[]
  /** Says the type of each cell where the database cannot infer it from a column. */
  readonly cellType?: 'bigint' | 'text'
}

/**
 * One statement for many rows, prepared once per lot size: it costs a fraction of a built query for each row.
 * `Result` is what its `returning` names; the guarantee that it does is the statement's text.
 */
export function bulk<Row, Result = never>({ text, cells, cellType }: BulkStatement<Row>) {
  const prepared = new Map<number, CompiledQuery<Result>>()
  const queryFor = (count: number, width: number): CompiledQuery<Result> => {
    const known = prepared.get(count)
    if (known) return known
    const made = rawQuery<Result>(text(rowList(count, width, cellType)))
    prepared.set(count, made)
    return made
  }
  return async (db: Database, rows: readonly Row[]): Promise<Result[]> => {
    const results: Result[] = []
    for (let start = 0; start < rows.length; ) {
      const lot = rows.slice(start, start + lotSize(rows.length - start))
      const parameters: Cell[] = []
      for (const row of lot) parameters.push(...cells(row))
      const query = queryFor(lot.length, parameters.length / lot.length)
      const answer = await db.executeQuery<Result>({ ...query, parameters })
      results.push(...answer.rows)
      start += lot.length
    }
    return results
  }
}

/** Inserts rows into the named columns. `tail` may resolve conflicts or return columns. */
export function bulkInsert<
  T extends keyof Tables,
  C extends keyof Insertable<Tables[T]> & string,
  Result = never,
>(table: T, columns: readonly C[], tail = '') {
  const names = columns.map(column => `"${column}"`).join(', ')
  return bulk<{ readonly [Column in C]: Cell }, Result>({
    text: rows => `insert into ${table} (${names}) values ${rows} ${tail}`,
    cells: row => columns.map(column => row[column]),
  })
}

const lotSize = (left: number): number => Math.min(LOT_ROWS_MAX, 2 ** Math.floor(Math.log2(left)))

function rowList(count: number, width: number, cellType?: string): string {
  const cell = (index: number) => (cellType ? `cast($${index} as ${cellType})` : `$${index}`)
  const row = (start: number) =>
    `(${Array.from({ length: width }, (_, i) => cell(start + i + 1)).join(', ')})`
  return Array.from({ length: count }, (_, i) => row(i * width)).join(', ')
}

/** Trusts the text to return rows of the named shape: the caller wrote both side by side. */
const rawQuery = <Row>(text: string): CompiledQuery<Row> => CompiledQuery.raw(text) as CompiledQuery<Row>
