import { sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'

const LISTED_MAX = 100

export interface UserSessionRow {
  readonly id_hash: string
  readonly device: string
  readonly address: string
  readonly created_at: number
  readonly used_at: number
}

/** The newest ones, last used first. */
export const listSessionsOfUser = (db: Database, userId: number, now: number): Promise<UserSessionRow[]> =>
  db
    .selectFrom('sessions')
    .select(['id_hash', 'device', 'address', 'created_at', 'used_at'])
    .where('user_id', '=', userId)
    .where('scopes', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('used_at', 'desc')
    .orderBy('created_at', 'desc')
    .limit(LISTED_MAX)
    .execute()

const SESSION_ID_CHARS = 16

/** Names a session among those of its user. Nobody is shown the stored hash. */
export const sessionIdOf = (idHash: string): string => idHash.slice(0, SESSION_ID_CHARS)

/** False when the user has no such session. */
export async function deleteSessionOfUser(db: Database, userId: number, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('scopes', 'is', null)
    .where(sql`substr(id_hash, 1, ${SESSION_ID_CHARS})`, '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/** Deletes all sessions of a user but one. Access tokens, which are rows of the same table, stay. */
export async function deleteOtherSessions(db: Database, userId: number, idHash: string): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('scopes', 'is', null)
    .where('id_hash', '!=', idHash)
    .execute()
}
