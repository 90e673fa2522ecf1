import type { Database } from '../db/database.ts'
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionsOfUser,
  findSessionUser,
  insertSession,
  type SessionRow,
} from '../db/sessions.ts'
import { nowSeconds } from '../kernel/clock.ts'
import { SESSION_PURPOSE } from '../kernel/hash-purposes.ts'
import { randomText } from '../kernel/id.ts'
import type { Secrets } from '../kernel/secrets.ts'

export const SESSION_COOKIE = 'session'
const SESSION_SECONDS = 30 * 24 * 3600
const COOKIE_LETTERS = 48
const COOKIE = new RegExp(`(?:^|;\\s*)${SESSION_COOKIE}=([A-Za-z0-9]{${COOKIE_LETTERS}})(?:;|$)`)

export interface SessionStore {
  readonly db: Database
  readonly secrets: Secrets
}

/** The hash under which the request's session is stored; undefined without a cookie of ours. */
export function sessionHashOf(request: Request, { secrets }: SessionStore): string | undefined {
  const cookie = COOKIE.exec(request.headers.get('cookie') ?? '')?.[1]
  return cookie && secrets.hash(SESSION_PURPOSE, cookie)
}

export const findSession = (idHash: string, { db }: SessionStore): Promise<SessionRow | undefined> =>
  findSessionUser(db, idHash, nowSeconds())

/** Makes a session, clears those that have expired, and gives the `Set-Cookie` that carries it. */
export async function openSession(
  userId: number,
  isSecure: boolean,
  { db, secrets }: SessionStore,
): Promise<string> {
  const cookie = randomText(COOKIE_LETTERS)
  const now = nowSeconds()
  await deleteExpiredSessions(db, now)
  await insertSession(db, {
    id_hash: secrets.hash(SESSION_PURPOSE, cookie),
    user_id: userId,
    created_at: now,
    expires_at: now + SESSION_SECONDS,
    authenticated_at: now,
  })
  return setCookie(cookie, SESSION_SECONDS, isSecure)
}

/** Ends the session and gives the `Set-Cookie` that takes the cookie back. */
export async function closeSession(
  idHash: string | undefined,
  isSecure: boolean,
  { db }: SessionStore,
): Promise<string> {
  if (idHash !== undefined) await deleteSession(db, idHash)
  return setCookie('', 0, isSecure)
}

export const closeSessionsOfUser = (userId: number, exceptIdHash: string | undefined, { db }: SessionStore) =>
  deleteSessionsOfUser(db, userId, exceptIdHash)

/** Strict: pages of other sites, which have no business here, never send it. */
const setCookie = (value: string, maxAgeSeconds: number, isSecure: boolean): string =>
  `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
