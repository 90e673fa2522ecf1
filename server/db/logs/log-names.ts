import { sql } from 'kysely'
import type { Database } from '../engine/database.ts'

export type NamedTable = 'tokens' | 'channels' | 'users'

/** Names by id, for display. Rows that no longer exist have none. */
export async function findNames(
  db: Database,
  table: NamedTable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const name = sql.ref(table === 'users' ? 'username' : 'name')
  const { rows } = await sql<{ id: number; name: string }>`select id, ${name} as name from ${sql.table(table)}
    where id in (${sql.join(ids)})`.execute(db)
  return new Map(rows.map(row => [row.id, row.name]))
}

/** Ids of the tokens with these names, deleted ones included, of one owner or of all. */
export async function findTokenIdsByName(
  db: Database,
  names: readonly string[],
  { userId, limit }: { readonly userId: number | undefined; readonly limit: number },
): Promise<number[]> {
  if (names.length === 0) return []
  const found = db.selectFrom('tokens').select('id').where('name', 'in', names).limit(limit)
  const rows = await (userId === undefined ? found : found.where('user_id', '=', userId)).execute()
  return rows.map(row => row.id)
}

export async function findUserIdsByName(db: Database, usernames: readonly string[]): Promise<number[]> {
  if (usernames.length === 0) return []
  const rows = await db.selectFrom('users').select('id').where('username', 'in', usernames).execute()
  return rows.map(row => row.id)
}
