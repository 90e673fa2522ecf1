import { Database as SqliteFile } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { SQL } from 'bun'
import { errorMessage } from '#server/core/errors.ts'

/** A value of another gateway's row. Whole numbers beyond the safe range stay bigint; times and JSON are text. */
export type SourceValue = string | number | bigint | null
export type SourceRow = Readonly<Record<string, SourceValue>>

/** Rows after a key, in its order: memory stays constant whatever the size of the table. */
export interface SourcePage {
  readonly table: string
  readonly key: string
  /** The last key of the page before; undefined for the first page. */
  readonly after: SourceValue | undefined
  readonly limit: number
  /** Only rows whose column is at least this. */
  readonly from?: { readonly column: string; readonly value: number | string } | undefined
}

/** The database of another gateway, only ever read. */
export interface SourceDatabase {
  /** The columns of each table. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>
  readPage(page: SourcePage): Promise<readonly SourceRow[]>
  close(): Promise<void>
}

type SourceEngine = 'sqlite' | 'postgres' | 'mysql'

const CONNECT_SECONDS_MAX = 10
/** The other gateway may be writing. */
const BUSY_MS_MAX = 10_000

/** Opens a SQLite file, `postgres://…` or `mysql://…`. Throws an Error for people when it cannot be read. */
export async function openSourceDatabase(location: string): Promise<SourceDatabase> {
  const engine = engineOf(location)
  const query = engine === 'sqlite' ? openFile(location) : openServer(location)
  try {
    return {
      tables: await readTables(query.all, engine),
      readPage: page => query.all(pageText(page, engine), pageValues(page)),
      close: query.close,
    }
  } catch (cause) {
    await query.close()
    throw new Error(`the source cannot be read: ${errorMessage(cause)}`, { cause })
  }
}

function engineOf(location: string): SourceEngine {
  if (/^postgres(ql)?:\/\//.test(location)) return 'postgres'
  return /^(mysql|mariadb):\/\//.test(location) ? 'mysql' : 'sqlite'
}

type ReadRows = (text: string, values: readonly SourceValue[]) => Promise<readonly SourceRow[]>

interface SourceConnection {
  readonly all: ReadRows
  close(): Promise<void>
}

function openFile(path: string): SourceConnection {
  if (!existsSync(path)) throw new Error(`there is no file ${path}`)
  const file = new SqliteFile(path, { readonly: true, safeIntegers: true })
  file.exec(`pragma busy_timeout = ${BUSY_MS_MAX}`)
  return {
    all: async (text, values) => {
      const rows: unknown[] = file.query(text).all(...values)
      return rows.map(toSourceRow)
    },
    close: async () => file.close(),
  }
}

function openServer(url: string): SourceConnection {
  const client = new SQL({
    url: url.replace(/^mariadb:/, 'mysql:'),
    max: 1,
    bigint: true,
    connectionTimeout: CONNECT_SECONDS_MAX,
  })
  return {
    all: async (text, values) => {
      const rows: unknown[] = await client.unsafe(text, [...values])
      return rows.map(toSourceRow)
    },
    close: () => client.close(),
  }
}

const COLUMNS: Readonly<Record<SourceEngine, string>> = {
  sqlite: `select m.name as t, c.name as c from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`,
  postgres: `select table_name as t, column_name as c from information_schema.columns where table_schema = current_schema()`,
  mysql: `select table_name as t, column_name as c from information_schema.columns where table_schema = database()`,
}

async function readTables(
  all: ReadRows,
  engine: SourceEngine,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const tables = new Map<string, Set<string>>()
  for (const { t, c } of await all(COLUMNS[engine], [])) {
    const columns = tables.get(String(t)) ?? new Set<string>()
    tables.set(String(t), columns.add(String(c)))
  }
  return tables
}

function pageText({ table, key, after, from, limit }: SourcePage, engine: SourceEngine): string {
  const quote = (name: string) => (engine === 'mysql' ? `\`${name}\`` : `"${name}"`)
  let count = 0
  const mark = () => {
    count += 1
    return engine === 'postgres' ? `$${count}` : '?'
  }
  const conditions = [
    ...(after === undefined ? [] : [`${quote(key)} > ${mark()}`]),
    ...(from === undefined ? [] : [`${quote(from.column)} >= ${mark()}`]),
  ]
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
  return `select * from ${quote(table)} ${where} order by ${quote(key)} limit ${limit}`
}

const pageValues = ({ after, from }: SourcePage): readonly SourceValue[] => [
  ...(after === undefined ? [] : [after]),
  ...(from === undefined ? [] : [from.value]),
]

const toSourceRow = (row: unknown): SourceRow =>
  Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, toSourceValue(value)]))

/** The drivers differ in the types of times, flags, JSON and whole numbers. */
function toSourceValue(value: unknown): SourceValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  return JSON.stringify(value)
}
