import { z } from 'zod'
import type { SignInState } from '../api/context.ts'
import { nowSeconds } from '../core/clock.ts'
import { type Secrets, SESSION_PURPOSE } from '../core/crypto.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import type { Database } from '../db/engine/database.ts'
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionsOfUser,
  findSessionUser,
  insertSession,
  type NewSession,
  type SessionRow,
  consumeSessionState,
  updateSessionState,
} from '../db/accounts/sessions.ts'

export const SESSION_COOKIE = 'session'
const SESSION_SECONDS = 30 * 24 * 3600
/** How long somebody may take to sign in at another party. */
const STATE_SECONDS = 10 * 60
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
export async function openSession(userId: number, isSecure: boolean, store: SessionStore): Promise<string> {
  const now = nowSeconds()
  await deleteExpiredSessions(store.db, now)
  return insertWithCookie(
    { user_id: userId, seconds: SESSION_SECONDS, authenticated_at: now },
    isSecure,
    store,
  )
}

/**
 * Keeps the state of a sign-in in the session that there is, or in a short one of a visitor. Gives the `Set-Cookie` that
 * a new one needs.
 */
export async function keepSignInState(
  idHash: string | undefined,
  wanted: SignInState,
  isSecure: boolean,
  store: SessionStore,
): Promise<string | undefined> {
  const now = nowSeconds()
  const state = JSON.stringify({ ...wanted, at: now })
  if (idHash !== undefined && (await updateSessionState(store.db, idHash, state, now))) return undefined
  await deleteExpiredSessions(store.db, now)
  const visitor = { user_id: null, seconds: STATE_SECONDS, authenticated_at: 0, state }
  return insertWithCookie(visitor, isSecure, store)
}

const KeptState = z.object({ state: z.string(), aff: z.string(), at: z.number() })

/** The state that was kept, once; undefined when there is none or it is too old. */
export async function takeSignInState(
  idHash: string | undefined,
  { db }: SessionStore,
): Promise<SignInState | undefined> {
  const text = idHash === undefined ? undefined : await consumeSessionState(db, idHash)
  if (text === undefined) return undefined
  const { at, ...kept } = KeptState.parse(JSON.parse(text))
  return at > nowSeconds() - STATE_SECONDS ? kept : undefined
}

interface SessionDraft extends Pick<NewSession, 'user_id' | 'authenticated_at' | 'state'> {
  readonly seconds: number
}

async function insertWithCookie(
  { seconds, ...session }: SessionDraft,
  isSecure: boolean,
  { db, secrets }: SessionStore,
): Promise<string> {
  const cookie = randomAlphanumeric(COOKIE_LETTERS)
  const now = nowSeconds()
  await insertSession(db, {
    ...session,
    id_hash: secrets.hash(SESSION_PURPOSE, cookie),
    created_at: now,
    expires_at: now + seconds,
  })
  return setCookie(cookie, seconds, isSecure)
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
