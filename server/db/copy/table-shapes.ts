import { sql } from 'kysely'
import type { Database } from '../engine/database.ts'

/** A table and the columns that both engines have. */
export interface TableShape {
  readonly name: string
  readonly columns: readonly string[]
}

/** The tables of a SQLite database without those of migrations, each after the tables that it references. */
export async function listTableShapes(db: Database): Promise<readonly TableShape[]> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name not like 'sqlite~_%' escape '~'
      and name not like 'kysely~_%' escape '~' order by name`.execute(db)
  const shapes = await Promise.all(
    rows.map(async ({ name }) => ({ name, columns: await listColumns(db, name) })),
  )
  const references = new Map(
    await Promise.all(shapes.map(async ({ name }) => [name, await listReferences(db, name)] as const)),
  )
  return sortByReferences(shapes, references)
}

async function listColumns(db: Database, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{
    name: string
  }>`select name from pragma_table_info(${table}) order by cid`.execute(db)
  return rows.map(({ name }) => name)
}

async function listReferences(db: Database, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct "table" as name from pragma_foreign_key_list(${table})`.execute(db)
  return rows.map(({ name }) => name)
}

/** Throws when tables reference each other in a cycle. */
function sortByReferences(
  shapes: readonly TableShape[],
  references: ReadonlyMap<string, readonly string[]>,
): readonly TableShape[] {
  const sorted: TableShape[] = []
  let waiting = [...shapes]
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name))
    const free = waiting.filter(
      ({ name }) => !references.get(name)?.some(other => other !== name && names.has(other)),
    )
    if (free.length === 0) throw new Error(`tables reference each other: ${[...names].join(', ')}`)
    sorted.push(...free)
    waiting = waiting.filter(shape => !free.includes(shape))
  }
  return sorted
}
