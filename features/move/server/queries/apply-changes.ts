import { sql } from 'kysely'
import { insertIntoPostgres, insertIntoSqlite } from '#server/db/copy/copy-database.ts'
import { quoted, type Row } from '#server/db/copy/read-rows.ts'
import type { TableShape } from '#server/db/copy/table-shapes.ts'
import { type Database, inTransaction, type OpenDatabase } from '#server/db/engine/database.ts'
import { type CapturedChange, deleteChanges, listChanges } from './capture-changes.ts'

const CHANGES_AT_ONCE = 5000
const KEYS_AT_ONCE = 100

type RowKey = readonly (string | number)[]

interface TableChanges {
  readonly shape: TableShape
  /** The rows as they are now. */
  readonly rows: readonly Row[]
  /** The keys of rows that are gone. */
  readonly gone: readonly RowKey[]
}

/**
 * Applies all captured changes to the copy, each row as it is now, and returns their number. The next pass repeats an
 * interrupted one with the same result.
 */
export async function applyChanges(
  source: Database,
  target: OpenDatabase,
  shapes: readonly TableShape[],
): Promise<number> {
  let applied = 0
  for (;;) {
    const changes = await listChanges(source, CHANGES_AT_ONCE)
    if (changes.length === 0) return applied
    const tables = await readChangedRows(source, shapes, changes)
    await inTransaction(target.db, tx => writeChangedRows(tx, target, tables))
    await deleteChanges(source, changes)
    applied += changes.length
    if (changes.length < CHANGES_AT_ONCE) return applied
  }
}

async function readChangedRows(
  source: Database,
  shapes: readonly TableShape[],
  changes: readonly CapturedChange[],
): Promise<readonly TableChanges[]> {
  const byTable = Map.groupBy(changes, ({ table }) => table)
  const tables: TableChanges[] = []
  for (const shape of shapes) {
    const texts = new Set(byTable.get(shape.name)?.map(({ key }) => key))
    if (texts.size === 0) continue
    const keys = [...texts].map(toKey)
    const rows: Row[] = []
    for (const some of chunksOf(keys)) rows.push(...(await selectRows(source, shape, some)))
    const found = new Set(rows.map(row => JSON.stringify(shape.key.map(column => row[column]))))
    tables.push({ shape, rows, gone: keys.filter(key => !found.has(JSON.stringify(key))) })
  }
  return tables
}

/** Trusts the triggers, which write lists of texts and numbers. */
const toKey = (text: string): RowKey => JSON.parse(text) as RowKey

function* chunksOf(keys: readonly RowKey[]): Generator<readonly RowKey[]> {
  for (let start = 0; start < keys.length; start += KEYS_AT_ONCE)
    yield keys.slice(start, start + KEYS_AT_ONCE)
}

async function selectRows(db: Database, shape: TableShape, keys: readonly RowKey[]): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`select ${sql.raw(quoted(shape.columns))} from ${sql.table(shape.name)}
    where ${hasKey(shape, keys)}`.execute(db)
  return rows
}

function hasKey({ key: columns }: TableShape, keys: readonly RowKey[]) {
  const [column] = columns
  if (column !== undefined && columns.length === 1)
    return sql`${sql.ref(column)} in (${sql.join(keys.map(([cell]) => cell))})`
  const conditions = keys.map(key => {
    const cells = columns.map((name, index) => sql`${sql.ref(name)} = ${key[index]}`)
    return sql`(${sql.join(cells, sql` and `)})`
  })
  return sql`(${sql.join(conditions, sql` or `)})`
}

/**
 * Rows that nothing references are deleted and written again, so that no unique value stands in the way of another row;
 * others are updated, since deleting them would delete what references them.
 */
async function writeChangedRows(
  tx: Database,
  { engine }: Pick<OpenDatabase, 'engine'>,
  tables: readonly TableChanges[],
): Promise<void> {
  for (const table of tables.toReversed()) await deleteRows(tx, table)
  const insert = engine === 'sqlite' ? insertIntoSqlite : insertIntoPostgres
  for (const { shape, rows } of tables)
    if (rows.length > 0) await insert(tx, shape, rows, shape.isReferenced ? updateOnConflict(shape) : '')
  const receipts = tables.find(({ shape }) => shape.name === 'receipts')?.rows ?? []
  if (receipts.length > 0 && engine === 'postgres') await dateReceipts(tx, receipts)
}

async function deleteRows(tx: Database, { shape, rows, gone }: TableChanges): Promise<void> {
  const keys = shape.isReferenced ? gone : [...gone, ...rows.map(row => keyOf(shape, row))]
  for (const some of chunksOf(keys))
    await sql`delete from ${sql.table(shape.name)} where ${hasKey(shape, some)}`.execute(tx)
}

/** Trusts that key columns hold texts and numbers. */
const keyOf = ({ key }: TableShape, row: Row): RowKey => key.map(column => row[column]) as unknown as RowKey

function updateOnConflict({ key, columns }: TableShape): string {
  const changed = columns.filter(column => !key.includes(column))
  const set = changed.map(column => `"${column}" = excluded."${column}"`).join(', ')
  return `on conflict (${quoted(key)}) do update set ${set}`
}

/** The partition of a receipt is that of its log row. */
const dateReceipts = (tx: Database, rows: readonly Row[]) =>
  sql`update receipts set written_at = logs.created_at from logs where logs.id = receipts.log_id
    and receipts.log_id in (${sql.join(rows.map(({ log_id }) => log_id))})`.execute(tx)
