import type { Database } from './database.ts'
import type { IdentityRow } from './users.ts'

export interface SessionRow extends IdentityRow {
  /** Unix seconds. */
  readonly authenticated_at: number
}

export interface NewSession {
  readonly id_hash: string
  readonly user_id: number
  readonly created_at: number
  readonly expires_at: number
  readonly authenticated_at: number
}

export async function insertSession(db: Database, session: NewSession): Promise<void> {
  await db.insertInto('sessions').values(session).execute()
}

/** The signed-in user as stored now; undefined for unknown and expired sessions and for deleted users. */
export function findSessionUser(
  db: Database,
  idHash: string,
  nowSeconds: number,
): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'users.id',
      'users.username',
      'users.role',
      'users.status',
      'users.group',
      'sessions.authenticated_at',
    ])
    .where('sessions.id_hash', '=', idHash)
    .where('sessions.expires_at', '>', nowSeconds)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst()
}

export async function deleteSession(db: Database, idHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('id_hash', '=', idHash).execute()
}

/** Ends all sessions of a user, but the one given. */
export async function deleteSessionsOfUser(db: Database, userId: number, exceptIdHash = ''): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('id_hash', '!=', exceptIdHash).execute()
}

export async function deleteExpiredSessions(db: Database, nowSeconds: number): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', nowSeconds).execute()
}
