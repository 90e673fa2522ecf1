import { type Insertable, type Selectable, sql } from 'kysely'
import { USER_STATUS } from '#contract/enums.ts'
import { nowSeconds } from '../../core/clock.ts'
import { bulkStatement } from '../engine/bulk.ts'
import type { Database } from '../engine/database.ts'
import type { SessionTable } from '../engine/tables.ts'
import type { PrincipalRow } from './users.ts'

export interface SessionRow extends PrincipalRow, Pick<Selectable<SessionTable>, 'scopes' | 'name' | 'ips'> {
  /** Units in the wallet that no hold reserves. */
  readonly quota: number
  /** Whether there are budgets of the user. */
  readonly is_bounded: 0 | 1
  /** Unix seconds. */
  readonly authenticated_at: number
  /** Unix seconds, within a minute. */
  readonly used_at: number
}

export type NewSession = Insertable<SessionTable>

const NO_STATE = '{}'

export async function insertSession(db: Database, session: NewSession): Promise<void> {
  await db.insertInto('sessions').values(session).execute()
}

/** The current data of the signed-in user; undefined for unknown and expired sessions and for deleted users. */
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
      'users.quota',
      sql<0 | 1>`case when exists (select 1 from budgets where user_id = users.id) then 1 else 0 end`.as(
        'is_bounded',
      ),
      'sessions.authenticated_at',
      'sessions.used_at',
      'sessions.scopes',
      'sessions.name',
      'sessions.ips',
    ])
    .where('sessions.id_hash', '=', idHash)
    .where('sessions.expires_at', '>', nowSeconds)
    .where('users.deleted_at', 'is', null)
    .where('users.kind', '=', 'person')
    .executeTakeFirst()
}

/** Those of the sessions and access tokens that have not ended, and whose users may use them. */
export async function findUsableSessions(
  db: Database,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await selectUsableSessions(db, hashes)
  const now = nowSeconds()
  return new Set(rows.filter(({ expires_at }) => expires_at > now).map(({ id_hash }) => id_hash))
}

const ACTIVE = `users.status = ${USER_STATUS.enabled} and users.kind = 'person' and users.deleted_at is null`
const selectUsableSessions = bulkStatement<string, Pick<NewSession, 'id_hash' | 'expires_at'>>({
  text: hashes => `select sessions.id_hash, sessions.expires_at from sessions join users on users.id = sessions.user_id
    where ${ACTIVE} and sessions.id_hash in (values ${hashes}) union all
    select access_token_hash, ${Number.MAX_SAFE_INTEGER} from users where ${ACTIVE} and access_token_hash in (values ${hashes})`,
  addCells: (hash, cells) => cells.push(hash),
})

/** Stores the state of a session. Returns false when the session does not exist or has expired. */
export async function updateSessionState(
  db: Database,
  idHash: string,
  state: string,
  nowSeconds: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ state })
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', nowSeconds)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Returns the state of a session and clears it. Only one of several concurrent calls gets the state. */
export async function consumeSessionState(db: Database, idHash: string): Promise<string | undefined> {
  const row = await db.selectFrom('sessions').select('state').where('id_hash', '=', idHash).executeTakeFirst()
  if (row === undefined || row.state === NO_STATE) return undefined
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ state: NO_STATE })
    .where('id_hash', '=', idHash)
    .where('state', '=', row.state)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n ? row.state : undefined
}

export async function deleteSession(db: Database, idHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('id_hash', '=', idHash).execute()
}

/** Ends what a user has signed in with: every session, and every access token. */
export async function endAccess(db: Database, userId: number): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
  await db.updateTable('users').set({ access_token_hash: null }).where('id', '=', userId).execute()
}

/** Stores the last use of a session, or when its user last proved to be present. */
export async function updateSession(
  db: Database,
  idHash: string,
  change: Partial<Pick<Selectable<SessionTable>, 'used_at' | 'address' | 'authenticated_at'>>,
): Promise<void> {
  await db.updateTable('sessions').set(change).where('id_hash', '=', idHash).execute()
}

export async function deleteExpiredSessions(db: Database, nowSeconds: number): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', nowSeconds).execute()
}
