import { createHash } from 'node:crypto'
import { type Row, readRows } from '#server/db/copy/read-rows.ts'
import type { TableShape } from '#server/db/copy/table-shapes.ts'
import type { EngineDatabase } from '#server/db/engine/database.ts'

export interface TableChecksum {
  readonly table: string
  readonly rows: number
  /** The sum of the hashes of all rows, independent of their order and the engine. */
  readonly checksum: string
}

const HASH_BYTES = 16
const MODULUS = 1n << BigInt(HASH_BYTES * 8)

/** The checksum of each table. The shapes are those of a SQLite database: columns that both engines have. */
export async function checksumTables(
  { db, engine }: EngineDatabase,
  shapes: readonly TableShape[],
): Promise<readonly TableChecksum[]> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async tx => {
    const checksums: TableChecksum[] = []
    for (const shape of shapes) {
      let [count, sum] = [0, 0n]
      for await (const rows of readRows(tx, engine, shape)) {
        for (const row of rows) sum = (sum + hashRow(row, shape)) % MODULUS
        count += rows.length
      }
      checksums.push({
        table: shape.name,
        rows: count,
        checksum: sum.toString(16).padStart(HASH_BYTES * 2, '0'),
      })
    }
    return checksums
  })
}

function hashRow(row: Row, { columns }: TableShape): bigint {
  const cells = JSON.stringify(columns.map(column => row[column] ?? null))
  return BigInt(
    `0x${createHash('sha256')
      .update(cells)
      .digest('hex')
      .slice(0, HASH_BYTES * 2)}`,
  )
}

/** The tables of which the two copies differ. */
export function findDifferentTables(
  left: readonly TableChecksum[],
  right: readonly TableChecksum[],
): readonly string[] {
  const other = new Map(right.map(checksum => [checksum.table, checksum]))
  return left
    .filter(({ table, rows, checksum }) => {
      const found = other.get(table)
      return found?.rows !== rows || found.checksum !== checksum
    })
    .map(({ table }) => table)
}
