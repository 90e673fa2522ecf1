import { sql } from 'kysely'
import { checksumTables, findDifferentTables, type TableChecksum } from '../backup/checksums.ts'
import type { TableShape } from '../backup/table-shapes.ts'
import type { Database, EngineDatabase } from '../engine/database.ts'

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

/**
 * Compares the copy with a source that nobody writes: checksums of all tables, except that of append-only ones the number of
 * rows, the first and the last number and the sum of numbers are compared. Throws an Error that names the tables that differ.
 */
export async function compareSides(
  source: EngineDatabase,
  copy: EngineDatabase,
  shapes: readonly TableShape[],
): Promise<readonly TableChecksum[]> {
  const read = async (side: EngineDatabase): Promise<readonly TableChecksum[]> => {
    const changing = await checksumTables(
      side,
      shapes.filter(({ name }) => !(name in APPEND_ONLY)),
    )
    const appended: TableChecksum[] = []
    for (const [table, column] of Object.entries(APPEND_ONLY))
      appended.push(await measureTable(side.db, table, column))
    return [...changing, ...appended]
  }
  const sums = await read(source)
  const different = findDifferentTables(sums, await read(copy))
  if (different.length === 0) return sums
  throw new Error(
    `the copy differs in ${different.join(', ')}; the gateway serves on from the database before the move`,
  )
}

async function measureTable(db: Database, table: string, column: string): Promise<TableChecksum> {
  const id = sql.ref(column)
  const { rows } = await sql<{ rows: number; first: number; last: number; sum: number | string }>`
    select count(*) as rows, coalesce(min(${id}), 0) as first, coalesce(max(${id}), 0) as last,
      coalesce(sum(${id}), 0) as sum from ${sql.table(table)}`.execute(db)
  const [measured] = rows
  if (!measured) throw new Error(`found no measure of ${table}, needed one`)
  return {
    table,
    rows: measured.rows,
    checksum: `numbers ${measured.first} to ${measured.last}, sum ${BigInt(measured.sum)}`,
  }
}
