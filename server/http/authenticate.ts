import { z } from 'zod'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { ROLE, type Role, USER_STATUS } from '#contract/enums.ts'
import { isInScope, type ScopedCall } from '../api/access-scopes.ts'
import { type ApiCaller, type SignInState, VISITOR } from '../api/context.ts'
import type { RequestMetadata } from '../api/plain-route.ts'
import { apiErrors } from '../core/api-error.ts'
import { nowSeconds } from '../core/clock.ts'
import { ACCESS_TOKEN_PURPOSE, SESSION_PURPOSE, type Secrets } from '../core/crypto.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import {
  consumeSessionState,
  deleteExpiredSessions,
  deleteSession,
  endAccess,
  findSessionUser,
  insertSession,
  type NewSession,
  type SessionRow,
  updateSession,
  updateSessionState,
} from '../db/accounts/sessions.ts'
import { findPrincipalByAccessToken, type PrincipalRow } from '../db/accounts/users.ts'
import type { Database } from '../db/engine/database.ts'
import { isAddressAllowed } from '../relay/admission/authenticate.ts'

const UNAUTHENTICATED = 401
const FORBIDDEN = 403
export const USER_HEADER = 'new-api-user'
export const METRICS_PATH = '/metrics'

const unauthenticatedError = apiErrors(
  'auth',
  {
    not_signed_in: {
      zh: '未登录或登录已过期，请重新登录',
      en: 'you are not signed in or your session has expired',
    },
    no_user_header: { zh: '缺少请求头 New-Api-User', en: 'the header New-Api-User is missing' },
    wrong_user_header: {
      zh: '请求头 New-Api-User 与登录用户不符',
      en: 'the header New-Api-User is not the ID of the signed-in user',
    },
  },
  UNAUTHENTICATED,
)
const otherSiteError = apiErrors(
  'auth',
  {
    other_site: {
      zh: '登录请求来自其他网站，已被拒绝，请在本站登录',
      en: 'another website sent this sign-in; sign in on this site instead',
    },
  },
  FORBIDDEN,
)
const authError = apiErrors('auth', {
  invalid_access_token: { zh: '访问令牌无效', en: 'the access token is not valid' },
  address_not_allowed: {
    zh: '该访问令牌不允许从此地址使用',
    en: 'the access token may not be used from this address',
  },
  scope_missing: {
    zh: '该访问令牌的权限范围不包含此操作',
    en: 'the access token lacks the scope for this call',
  },
  banned: { zh: '用户已被封禁', en: 'the account is banned' },
  no_permission: { zh: '权限不足', en: 'you do not have permission to do this' },
})

/** The caller of a management request, and the session it used. */
export interface RequestIdentity {
  readonly caller: ApiCaller
  readonly sessionHash: string | undefined
  /** Of the session, or of the access token of a call without one. */
  readonly credentialHash?: string
  /** Unix seconds; 0 without a session. */
  readonly authenticatedAt: number
}

/**
 * Authenticates a request by session cookie or system access token and checks the role. The user is read from the
 * database each time, so bans and role changes apply at once. Throws an API error of the area `auth`.
 */
export async function authenticateApiCall(
  request: Request,
  endpoint: ScopedCall & Pick<AnyEndpoint, 'role'>,
  address: string,
  store: SessionStore,
): Promise<RequestIdentity> {
  const { role } = endpoint
  const sessionHash = readSessionHash(request, store)
  const session = sessionHash === undefined ? undefined : await findSession(sessionHash, store)
  if (role === 'visitor') return visitorWith(session, sessionHash, request)
  const credentialHash = session && sessionHash ? sessionHash : readAccessTokenHash(request, store)
  const user = session ?? (await findByAccessToken(credentialHash, endpoint, address, store))
  // A scraper such as Prometheus cannot name its user, which only matters for cookies: browsers never send a token by themselves.
  if (session || endpoint.path !== METRICS_PATH) checkUserHeader(request.headers.get(USER_HEADER), user.id)
  await checkUser(user, role, store)
  if (session && sessionHash) await keepUse(sessionHash, session, address, store)
  return {
    caller: toCaller(user),
    sessionHash: session && sessionHash,
    credentialHash,
    authenticatedAt: session?.authenticated_at ?? 0,
  }
}

async function checkUser(user: PrincipalRow, role: Role, { db }: SessionStore): Promise<void> {
  if (user.status !== USER_STATUS.enabled) {
    await endAccess(db, user.id)
    throw authError('banned')
  }
  if (user.role < ROLE[role]) throw authError('no_permission')
}

/** Public endpoints know the signed-in user if the user header matches; they reject nobody. */
function visitorWith(
  session: SessionRow | undefined,
  sessionHash: string | undefined,
  request: Request,
): RequestIdentity {
  const isSignedIn =
    session?.status === USER_STATUS.enabled && request.headers.get(USER_HEADER) === String(session.id)
  return {
    caller: isSignedIn ? toCaller(session) : VISITOR,
    sessionHash,
    authenticatedAt: isSignedIn ? session.authenticated_at : 0,
  }
}

const toCaller = ({ id, username, role, group, name }: PrincipalRow & { name?: string }): ApiCaller => ({
  id,
  username,
  role,
  group,
  ...(name && { accessToken: name }),
})

/** The user's one token without limits, or one of those with a name. */
async function findByAccessToken(
  hash: string,
  call: ScopedCall,
  address: string,
  store: SessionStore,
): Promise<PrincipalRow> {
  const user = await findPrincipalByAccessToken(store.db, hash)
  const named = user ? undefined : await findSession(hash, store)
  if (named && !isAddressAllowed(named.ips, address)) throw authError('address_not_allowed')
  if (named && !isInScope(named.scopes ?? '', call)) throw authError('scope_missing')
  if (named) await keepUse(hash, named, address, store)
  const found = user ?? named
  if (!found) throw authError('invalid_access_token')
  return found
}

async function keepUse(hash: string, session: SessionRow, address: string, { db }: SessionStore) {
  const used_at = nowSeconds()
  if (session.used_at <= used_at - USE_SECONDS) await updateSession(db, hash, { used_at, address })
}

function readAccessTokenHash({ headers }: Request, { secrets }: SessionStore): string {
  const token = (headers.get('authorization') ?? '').replace(/^Bearer\s+/i, '').trim()
  if (token === '') throw unauthenticatedError('not_signed_in')
  return secrets.hash(ACCESS_TOKEN_PURPOSE, token)
}

function checkUserHeader(header: string | null, userId: number): void {
  if (header === null || header.trim() === '') throw unauthenticatedError('no_user_header')
  if (header.trim() !== String(userId)) throw unauthenticatedError('wrong_user_header')
}

const OTHER_SITES: readonly (string | null)[] = ['cross-site', 'same-site']

/** Rejects a sign-in that a form of another site submits: it would sign the browser in to an account of the attacker. */
export function checkSignInSite({ headers }: Request): void {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  // Browsers name the relation only to https and localhost. A form cannot forge the host that a proxy forwards.
  const isForeign = site === null && origin !== null && !namesHost(headers, origin)
  if (isForeign || OTHER_SITES.includes(site)) throw otherSiteError('other_site')
}

/** A link or a picture on our own pages may be somebody else's, and has another destination. */
export const isOwnScript = ({ headers }: Request): boolean =>
  headers.get('sec-fetch-site') === 'same-origin' && (headers.get('sec-fetch-dest') ?? 'empty') === 'empty'

const namesHost = (headers: Headers, origin: string): boolean =>
  URL.canParse(origin) &&
  ['host', 'x-forwarded-host'].some(name => headers.get(name)?.toLowerCase() === new URL(origin).host)

const SESSION_COOKIE = 'session'
/** The last use of a session is stored as often. */
const USE_SECONDS = 60
const DEVICE_CHARS_MAX = 255
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
export async function createSession(
  userId: number,
  { headers }: Request,
  scope: CookieScope & Pick<RequestMetadata, 'clientIp'>,
  store: SessionStore,
): Promise<string> {
  const now = nowSeconds()
  await deleteExpiredSessions(store.db, now)
  const device = (headers.get('user-agent') ?? '').slice(0, DEVICE_CHARS_MAX)
  const times = { seconds: SESSION_SECONDS, authenticated_at: now, used_at: now }
  return insertWithCookie({ user_id: userId, ...times, device, address: scope.clientIp }, scope, store)
}

/**
 * Stores the state of an OAuth sign-in in the current session, or in a short-lived visitor session. Returns the
 * `Set-Cookie` header of a new session.
 */
export async function storeSignInState(
  idHash: string | undefined,
  signIn: SignInState,
  scope: CookieScope,
  store: SessionStore,
): Promise<string | undefined> {
  const now = nowSeconds()
  const state = JSON.stringify({ ...signIn, at: now })
  if (idHash !== undefined && (await updateSessionState(store.db, idHash, state, now))) return undefined
  await deleteExpiredSessions(store.db, now)
  const visitor = { user_id: null, seconds: STATE_SECONDS, authenticated_at: 0, state }
  return insertWithCookie(visitor, scope, store)
}

const StoredState = z.object({ state: z.string(), aff: z.string(), at: z.number() })

/** Where a browser sends a cookie: to other programs on the same host never. */
export type CookieScope = Pick<RequestMetadata, 'basePath' | 'isSecure'>

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

interface SessionDraft extends Omit<NewSession, 'id_hash' | 'created_at' | 'expires_at'> {
  readonly seconds: number
}

async function insertWithCookie(
  { seconds, ...session }: SessionDraft,
  scope: CookieScope,
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
  return setCookie(cookie, seconds, scope)
}

/** Records that the user of the session has just proved to be present. */
export async function confirmSession(idHash: string | undefined, { db }: SessionStore): Promise<void> {
  if (idHash !== undefined) await updateSession(db, idHash, { authenticated_at: nowSeconds() })
}

/** Deletes the session. Returns the `Set-Cookie` header that deletes the cookie. */
export async function endSession(
  idHash: string | undefined,
  scope: CookieScope,
  { db }: SessionStore,
): Promise<string> {
  if (idHash !== undefined) await deleteSession(db, idHash)
  return setCookie('', 0, scope)
}

/** `SameSite=Strict`: requests from other sites never carry the cookie. */
const setCookie = (value: string, maxAgeSeconds: number, { basePath, isSecure }: CookieScope): string =>
  `${SESSION_COOKIE}=${value}; Path=${basePath || '/'}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
