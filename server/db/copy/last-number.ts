import { sql } from 'kysely'
import type { EngineDatabase } from '../engine/database.ts'
import type { TableShape } from './table-shapes.ts'

/** Makes the copy of a numbered table go on after the last number of the source: those of deleted rows are never given again. */
export async function copyLastNumber(
  source: EngineDatabase,
  target: EngineDatabase,
  { name, columns }: TableShape,
): Promise<void> {
  if (!columns.includes('id')) return
  await writeLastNumber(target, name, await readLastNumber(source, name))
}

/** The last number that the table gave; 0 when it gave none or does not remember it. */
async function readLastNumber({ db, engine }: EngineDatabase, table: string): Promise<number> {
  const { rows } =
    engine === 'sqlite'
      ? await sql<{
          last: number | null
        }>`select seq as last from sqlite_sequence where name = ${table}`.execute(db)
      : await sql<{ last: number | null }>`
          select pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')::regclass) as last`.execute(db)
  return rows[0]?.last ?? 0
}

async function writeLastNumber({ db, engine }: EngineDatabase, table: string, last: number): Promise<void> {
  if (engine === 'sqlite') {
    const { rows } = await sql`select 1 from sqlite_master where name = ${table}
      and sql like '%autoincrement%'`.execute(db)
    if (rows.length === 0 || last === 0) return
    await sql`delete from sqlite_sequence where name = ${table}`.execute(db)
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(db)
    return
  }
  const { rows: sequences } = await sql<{ sequence: string | null }>`
    select pg_get_serial_sequence(${table}, 'id') as sequence`.execute(db)
  const sequence = sequences[0]?.sequence
  if (!sequence) return
  await sql`select setval(${sequence}::regclass, greatest(cast(${last} as bigint),
    (select coalesce(max(id), 0) from ${sql.table(table)})) + 1, false)`.execute(db)
}
