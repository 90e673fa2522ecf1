import { type RawBuilder, sql } from 'kysely'
import { checksumTables, findDifferentTables, type TableChecksum } from '#server/db/copy/checksums.ts'
import type { TableShape } from '#server/db/copy/table-shapes.ts'
import type { Database, EngineDatabase } from '#server/db/engine/database.ts'

/** Tables whose rows are written once, with the number of each row: too long to read while requests wait. */
const APPEND_ONLY: Readonly<Record<string, string>> = {
  postings: 'id',
  logs: 'id',
  receipts: 'log_id',
  analytics_minutes: 'id',
  analytics_hours: 'id',
  analytics_days: 'id',
  analytics_gateway_hours: 'id',
  analytics_gateway_days: 'id',
}

/** Larger tables are compared by the sums that the databases make. */
const CHECKSUM_ROWS_MAX = 2000

/** The last number of each append-only table up to which both sides were compared before. */
export type ComparedNumbers = ReadonlyMap<string, number>

/**
 * Compares the append-only tables while the source is written, up to the numbers that it returns, so that a pause need not
 * wait for all of their rows. Throws an Error that names the tables that differ.
 */
export async function compareAppended(
  source: EngineDatabase,
  copy: EngineDatabase,
  shapes: readonly TableShape[],
): Promise<ComparedNumbers> {
  const compared = new Map<string, number>()
  for (const { name: table, integers: columns } of shapes) {
    const column = APPEND_ONLY[table]
    if (column === undefined) continue
    const { rows } = await sql<{ last: number }>`
      select coalesce(max(${sql.ref(column)}), 0) as last from ${sql.table(table)}`.execute(copy.db)
    const until = Math.max(0, (rows[0]?.last ?? 0) - RECENT_NUMBERS)
    const range = sql`${sql.ref(column)} <= ${until}`
    const [left, right] = await Promise.all([
      measureTable(source.db, { table, columns, range }),
      measureTable(copy.db, { table, columns, range }),
    ])
    if (left.checksum === right.checksum && left.rows === right.rows) compared.set(table, until)
  }
  return compared
}

/** Numbers that a transaction may have taken and not committed yet. */
const RECENT_NUMBERS = 10_000

interface Comparison {
  readonly shapes: readonly TableShape[]
  readonly compared: ComparedNumbers
}

/**
 * Compares the copy with a source that nobody writes: checksums of small tables; of large ones the number of rows and the
 * sum of each integer column; of append-only ones the same for the rows since `compared`. Throws an Error that names
 * the tables that differ.
 */
export async function compareSides(
  source: EngineDatabase,
  copy: EngineDatabase,
  { shapes, compared }: Comparison,
): Promise<readonly TableChecksum[]> {
  const sums: TableChecksum[] = []
  const different: string[] = []
  for (const shape of shapes) {
    const measure = await chooseMeasure(copy, shape, compared)
    const [left, right] = await Promise.all([measure(source), measure(copy)])
    sums.push(left)
    different.push(...findDifferentTables([left], [right]))
  }
  if (different.length === 0) return sums
  throw new Error(`the copy differs in ${different.join(', ')}`)
}

type Measure = (side: EngineDatabase) => Promise<TableChecksum>

async function chooseMeasure(
  copy: EngineDatabase,
  shape: TableShape,
  compared: ComparedNumbers,
): Promise<Measure> {
  const { name: table } = shape
  const column = APPEND_ONLY[table]
  if (column !== undefined) {
    const range = sql`${sql.ref(column)} > ${compared.get(table) ?? 0}`
    return side => measureTable(side.db, { table, columns: shape.integers, range })
  }
  const { rows } = await sql<{ rows: number }>`
    select count(*) as rows from (select 1 from ${sql.table(table)} limit ${CHECKSUM_ROWS_MAX + 1}) as first_rows`.execute(
    copy.db,
  )
  if ((rows[0]?.rows ?? 0) > CHECKSUM_ROWS_MAX)
    return side => measureTable(side.db, { table, columns: shape.integers, range: sql`1 = 1` })
  return async side => {
    const [checksum] = await checksumTables(side, [shape])
    if (!checksum) throw new Error(`found no checksum of ${table}, needed one`)
    return checksum
  }
}

interface Measured {
  readonly table: string
  readonly columns: readonly string[]
  readonly range: RawBuilder<unknown>
}

/** The number of rows in the range and the sum of each column. */
async function measureTable(db: Database, { table, columns, range }: Measured): Promise<TableChecksum> {
  const sums = columns.map(
    (column, index) => sql`cast(coalesce(sum(${sql.ref(column)}), 0) as text) as ${sql.ref(`s${index}`)}`,
  )
  const { rows } = await sql<Record<string, number | string>>`
    select count(*) as rows, ${sql.join(sums)} from ${sql.table(table)} where ${range}`.execute(db)
  const [measured] = rows
  if (!measured) throw new Error(`found no measure of ${table}, needed one`)
  const { rows: count, ...totals } = measured
  return { table, rows: Number(count), checksum: `sums ${Object.values(totals).join(' ')}` }
}
