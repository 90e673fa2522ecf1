import { sql } from 'kysely'
import { migrations } from '#server/testing/migrations.ts'
import { listTableShapes, type TableShape } from '../copy/table-shapes.ts'
import { type Database, migrate, type OpenDatabase, openDatabase } from '../engine/database.ts'

const ROWS = 7
/** Whatever a text may hold on both engines. */
const TEXT = `'"\\ \n\t, 额度 🙂 null`
const TIME_SECONDS = 1_760_000_000
const MONTH_SECONDS = 31 * 24 * 3600

/** Columns whose values the schema restricts. */
const VALUES: Readonly<Record<string, (row: number) => string | number>> = {
  'tasks.outcome': row => ['open', 'succeeded', 'failed'][row % 3] ?? 'open',
  'logs.created_at': row => TIME_SECONDS + row * MONTH_SECONDS,
  'receipts.log_id': row => row,
  'background_events.response_id': row => `${TEXT}${row}`,
  'conversation_items.conversation_id': row => `${TEXT}${row}`,
}

/** The tables of a schema, given the names of its migrations. */
export async function shapesOf(names?: readonly string[]): Promise<readonly TableShape[]> {
  const opened = openDatabase({ url: ':memory:', durability: 'process' }, migrations)
  try {
    await migrate(opened, names)
    return await listTableShapes(opened.db)
  } finally {
    await opened.close()
  }
}

/** Writes rows with every column set into every table. They obey the schema, but no rule of the ledger. */
export async function fillTables({ db }: OpenDatabase, shapes: readonly TableShape[]): Promise<void> {
  const types = await listColumnTypes()
  for (const shape of shapes.toReversed()) await sql`delete from ${sql.table(shape.name)}`.execute(db)
  for (const { name, columns } of shapes)
    for (let row = 1; row <= ROWS; row += 1) {
      const cells = columns.map(column => cellOf(`${name}.${column}`, types, row))
      const names = sql.join(columns.map(column => sql.ref(column)))
      await sql`insert into ${sql.table(name)} (${names}) values (${sql.join(cells)})`.execute(db)
    }
}

function cellOf(column: string, types: ReadonlyMap<string, string>, row: number): string | number {
  const value = VALUES[column]?.(row)
  if (value !== undefined) return value
  const type = types.get(column)
  if (type === 'text') return `${TEXT}${row}`
  return type === 'double precision' ? row + 0.1 : row
}

/** The declared types of the newest schema, by `table.column`. A column that it has no more is a number. */
async function listColumnTypes(): Promise<ReadonlyMap<string, string>> {
  const opened = openDatabase({ url: ':memory:', durability: 'process' }, migrations)
  try {
    await migrate(opened)
    const { rows } = await sql<{ column: string; type: string }>`
      select m.name || '.' || c.name as "column", lower(c.type) as type
      from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`.execute(opened.db)
    return new Map(rows.map(({ column, type }) => [column, type]))
  } finally {
    await opened.close()
  }
}

/** The content of the tables, comparable between engines. */
export async function contentOf(
  db: Database,
  shapes: readonly TableShape[],
): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {}
  for (const { name, columns } of shapes) {
    const names = sql.join(columns.map(column => sql.ref(column)))
    const { rows } = await sql`select ${names} from ${sql.table(name)}`.execute(db)
    content[name] = rows.map(row => JSON.stringify(row)).sort()
  }
  return content
}
