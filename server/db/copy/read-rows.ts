import { CompiledQuery } from 'kysely'
import type { Cell } from '../engine/bulk.ts'
import type { Database } from '../engine/database.ts'
import type { Engine } from '../migrations/migration.ts'
import type { TableShape } from './table-shapes.ts'

export type Row = Readonly<Record<string, Cell>>

/** Rows that PostgreSQL sends at once: as many as have about this many characters, as the batch before them suggests. */
const BATCH_CHARACTERS = 4_000_000
const BATCH_ROWS_MAX = 5_000
const FIRST_BATCH_ROWS = 50

const CURSOR = 'rows_of_backup'

/**
 * Reads all rows of a table in batches that fit into memory. On PostgreSQL `db` must be a transaction, whose snapshot all tables
 * share; on SQLite a file that nobody writes.
 */
export const readRows = (db: Database, engine: Engine, shape: TableShape): AsyncGenerator<readonly Row[]> =>
  engine === 'postgres' ? readWithCursor(db, shape) : readFile(db, shape)

async function* readWithCursor(db: Database, shape: TableShape): AsyncGenerator<readonly Row[]> {
  await run(db, `declare ${CURSOR} no scroll cursor for ${selectAll(shape)}`)
  let count = FIRST_BATCH_ROWS
  for (;;) {
    const rows = await run(db, `fetch ${count} from ${CURSOR}`)
    if (rows.length > 0) yield rows
    if (rows.length < count) break
    const characters = rows.reduce((sum, row) => sum + countCharacters(row), 0)
    count = Math.max(1, Math.min(BATCH_ROWS_MAX, Math.floor((count * BATCH_CHARACTERS) / characters)))
  }
  await run(db, `close ${CURSOR}`)
}

async function* readFile(db: Database, shape: TableShape): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = []
  let characters = 0
  for await (const { rows } of db.getExecutor().stream<Row>(CompiledQuery.raw(selectAll(shape)), 1)) {
    for (const row of rows) {
      batch.push(row)
      characters += countCharacters(row)
    }
    if (characters < BATCH_CHARACTERS && batch.length < BATCH_ROWS_MAX) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/** At least one, so that it can divide. */
function countCharacters(row: Row): number {
  let characters = 1
  for (const name in row) {
    const cell = row[name]
    if (typeof cell === 'string') characters += cell.length
  }
  return characters
}

/** Trusts that columns hold texts, numbers and nulls, as those of all tables do. */
const run = async (db: Database, text: string): Promise<readonly Row[]> =>
  (await db.executeQuery<Row>(CompiledQuery.raw(text))).rows

export const quoted = (names: readonly string[]): string => names.map(name => `"${name}"`).join(', ')

const selectAll = ({ name, columns }: TableShape): string => `select ${quoted(columns)} from "${name}"`
