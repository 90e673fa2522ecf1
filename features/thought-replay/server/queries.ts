import { type Selectable, sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'

/** What a model thought before the calls of one turn. */
interface ThoughtTable {
  /** Stands for the owner and the first call of the turn. */
  handle: string
  user_id: number
  /** Encrypted JSON. */
  thought_encrypted: string
  bytes: number
  /** Moves on with each use. */
  expires_at: number
}

/** A type, since an interface does not join the tables of the base. */
type ThoughtTables = { thoughts: ThoughtTable }

/** The database with the table of this feature. */
export const withThoughtTable = (db: Database) => db.withTables<ThoughtTables>()

export type ThoughtRow = Readonly<Selectable<ThoughtTable>>

/** A call with an id that the owner has had before replaces the earlier one. */
export async function upsertThoughts(db: Database, rows: readonly ThoughtRow[]): Promise<void> {
  await withThoughtTable(db)
    .insertInto('thoughts')
    .values(rows)
    .onConflict(conflict =>
      conflict.column('handle').doUpdateSet(({ ref }) => ({
        thought_encrypted: ref('excluded.thought_encrypted'),
        bytes: ref('excluded.bytes'),
        expires_at: ref('excluded.expires_at'),
      })),
    )
    .execute()
}

interface SoughtThoughts {
  readonly handles: readonly string[]
  readonly userId: number
  readonly nowSeconds: number
  /** Of all; the longest are left out first. */
  readonly bytesMax: number
}

export async function selectThoughts(
  db: Database,
  { handles, userId, nowSeconds, bytesMax }: SoughtThoughts,
): Promise<readonly ThoughtRow[]> {
  const { rows } = await sql<ThoughtRow>`
    select handle, user_id, thought_encrypted, bytes, expires_at from (
      select thoughts.*, sum(bytes) over (order by bytes, handle) as bytes_up_to_here from thoughts
      where handle in (${sql.join(handles)}) and user_id = ${userId} and expires_at > ${nowSeconds}
    ) as sums where bytes_up_to_here <= ${bytesMax}`.execute(db)
  return rows
}

/** Keeps thoughts longer, since they have just been used. */
export async function touchThoughts(
  db: Database,
  handles: readonly string[],
  expiresAt: number,
): Promise<void> {
  await withThoughtTable(db)
    .updateTable('thoughts')
    .set({ expires_at: expiresAt })
    .where('handle', 'in', handles)
    .execute()
}

/** Keeps the thoughts of a user that were used last, up to a size. */
export async function trimThoughts(db: Database, userId: number, bytesMax: number): Promise<void> {
  await sql`
    delete from thoughts where user_id = ${userId} and handle in (
      select handle from (
        select handle, sum(bytes) over (order by expires_at desc, handle desc) as bytes_up_to_here
        from thoughts where user_id = ${userId}
      ) as sums where bytes_up_to_here > ${bytesMax}
    )`.execute(db)
}

export async function deleteThoughtsOfUser(db: Database, userId: number): Promise<void> {
  await withThoughtTable(db).deleteFrom('thoughts').where('user_id', '=', userId).execute()
}
