import { type Selectable, sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import type { SessionTable } from '#server/db/engine/tables.ts'

export type AccessTokenRow = Selectable<SessionTable>

/** Those of a user that have not expired, newest first. They are rows of the sessions, with scopes. */
export const listTokensOfUser = (db: Database, userId: number, now: number): Promise<AccessTokenRow[]> =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('scopes', 'is not', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('name')
    .execute()

const TOKEN_ID_CHARS = 16

/** Names a token among those of its user. Nobody is shown the stored hash. */
export const tokenIdOf = (idHash: string): string => idHash.slice(0, TOKEN_ID_CHARS)

/** False when the user has no such token. */
export async function deleteTokenOfUser(db: Database, userId: number, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('scopes', 'is not', null)
    .where(sql`substr(id_hash, 1, ${TOKEN_ID_CHARS})`, '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}
