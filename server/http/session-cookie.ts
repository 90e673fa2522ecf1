import { z } from 'zod'
import type { SignInState } from '../api/context.ts'
import { nowSeconds } from '../core/clock.ts'
import { SESSION_PURPOSE, type Secrets } from '../core/crypto.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import {
  consumeSessionState,
  deleteExpiredSessions,
  deleteSession,
  deleteSessionsOfUser,
  findSessionUser,
  insertSession,
  type NewSession,
  type SessionRow,
  updateSessionState,
} from '../db/accounts/sessions.ts'
import type { Database } from '../db/engine/database.ts'

export const SESSION_COOKIE = 'session'
const SESSION_SECONDS = 30 * 24 * 3600
/** Time to sign in at an identity provider. */
const STATE_SECONDS = 10 * 60
const COOKIE_CHARS = 48
const COOKIE = new RegExp(`(?:^|;\\s*)${SESSION_COOKIE}=([A-Za-z0-9]{${COOKIE_CHARS}})(?:;|$)`)

export interface SessionStore {
  readonly db: Database
  readonly secrets: Secrets
}

/** The hash under which the request's session is stored; undefined without a session cookie. */
export function readSessionHash(request: Request, { secrets }: SessionStore): string | undefined {
  const cookie = COOKIE.exec(request.headers.get('cookie') ?? '')?.[1]
  return cookie && secrets.hash(SESSION_PURPOSE, cookie)
}

export const findSession = (idHash: string, { db }: SessionStore): Promise<SessionRow | undefined> =>
  findSessionUser(db, idHash, nowSeconds())

/** Creates a session and deletes expired ones. Returns the `Set-Cookie` header. */
export async function createSession(userId: number, isSecure: boolean, store: SessionStore): Promise<string> {
  const now = nowSeconds()
  await deleteExpiredSessions(store.db, now)
  return insertWithCookie(
    { user_id: userId, seconds: SESSION_SECONDS, authenticated_at: now },
    isSecure,
    store,
  )
}

/**
 * Stores the state of an OAuth sign-in in the current session, or in a short-lived visitor session. Returns the
 * `Set-Cookie` header of a new session.
 */
export async function storeSignInState(
  idHash: string | undefined,
  signIn: SignInState,
  isSecure: boolean,
  store: SessionStore,
): Promise<string | undefined> {
  const now = nowSeconds()
  const state = JSON.stringify({ ...signIn, at: now })
  if (idHash !== undefined && (await updateSessionState(store.db, idHash, state, now))) return undefined
  await deleteExpiredSessions(store.db, now)
  const visitor = { user_id: null, seconds: STATE_SECONDS, authenticated_at: 0, state }
  return insertWithCookie(visitor, isSecure, store)
}

const StoredState = z.object({ state: z.string(), aff: z.string(), at: z.number() })

/** Returns the stored state and deletes it; undefined when there is none or it has expired. */
export async function takeSignInState(
  idHash: string | undefined,
  { db }: SessionStore,
): Promise<SignInState | undefined> {
  const text = idHash === undefined ? undefined : await consumeSessionState(db, idHash)
  if (text === undefined) return undefined
  const { at, ...state } = StoredState.parse(JSON.parse(text))
  return at > nowSeconds() - STATE_SECONDS ? state : undefined
}

interface SessionDraft extends Pick<NewSession, 'user_id' | 'authenticated_at' | 'state'> {
  readonly seconds: number
}

async function insertWithCookie(
  { seconds, ...session }: SessionDraft,
  isSecure: boolean,
  { db, secrets }: SessionStore,
): Promise<string> {
  const cookie = randomAlphanumeric(COOKIE_CHARS)
  const now = nowSeconds()
  await insertSession(db, {
    ...session,
    id_hash: secrets.hash(SESSION_PURPOSE, cookie),
    created_at: now,
    expires_at: now + seconds,
  })
  return setCookie(cookie, seconds, isSecure)
}

/** Deletes the session. Returns the `Set-Cookie` header that deletes the cookie. */
export async function endSession(
  idHash: string | undefined,
  isSecure: boolean,
  { db }: SessionStore,
): Promise<string> {
  if (idHash !== undefined) await deleteSession(db, idHash)
  return setCookie('', 0, isSecure)
}

export const endSessionsOfUser = (userId: number, exceptIdHash: string | undefined, { db }: SessionStore) =>
  deleteSessionsOfUser(db, userId, exceptIdHash)

/** `SameSite=Strict`: requests from other sites never carry the cookie. */
const setCookie = (value: string, maxAgeSeconds: number, isSecure: boolean): string =>
  `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
