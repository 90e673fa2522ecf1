import { TOKEN_STATUS, USER_STATUS } from '#contract/enums.ts'
import type { Database } from '#server/db/engine/database.ts'

/** Those of the tokens that are neither disabled nor deleted, and whose owners may use them. */
export async function listUsableTokens(db: Database, ids: readonly number[]): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select('tokens.id')
    .where('tokens.id', 'in', ids)
    .where('tokens.deleted_at', 'is', null)
    .where('tokens.status', '!=', TOKEN_STATUS.disabled)
    .where('users.status', '=', USER_STATUS.enabled)
    .where('users.deleted_at', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

/** Those of the sessions that have not ended, and whose users may use them. */
export async function listUsableSessions(
  db: Database,
  idHashes: readonly string[],
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select('sessions.id_hash')
    .where('sessions.id_hash', 'in', idHashes)
    .where('users.status', '=', USER_STATUS.enabled)
    .where('users.deleted_at', 'is', null)
    .execute()
  return rows.map(({ id_hash }) => id_hash)
}
