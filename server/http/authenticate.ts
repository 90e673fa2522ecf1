import type { Role } from '#contract/enums.ts'
import { ROLE, USER_STATUS } from '#contract/enums.ts'
import { type ApiCaller, VISITOR } from '../api/context.ts'
import { apiErrors } from '../core/api-error.ts'
import { ACCESS_TOKEN_PURPOSE } from '../core/crypto.ts'
import type { SessionRow } from '../db/accounts/sessions.ts'
import { findPrincipalByAccessToken, type PrincipalRow } from '../db/accounts/users.ts'
import { endSessionsOfUser, findSession, readSessionHash, type SessionStore } from './session-cookie.ts'

const UNAUTHENTICATED = 401
const USER_HEADER = 'new-api-user'

const unauthenticatedError = apiErrors(
  'auth',
  {
    not_signed_in: { zh: '未登录或登录已过期，请重新登录', en: 'not signed in, or the sign-in has expired' },
    no_user_header: { zh: '缺少请求头 New-Api-User', en: 'the header New-Api-User is missing' },
    wrong_user_header: {
      zh: '请求头 New-Api-User 与登录用户不符',
      en: 'the header New-Api-User is not the id of the signed-in user',
    },
  },
  UNAUTHENTICATED,
)
const authError = apiErrors('auth', {
  invalid_access_token: { zh: '访问令牌无效', en: 'the access token is not valid' },
  banned: { zh: '用户已被封禁', en: 'the account is banned' },
  no_permission: { zh: '权限不足', en: 'you have no permission for this' },
})

/** The caller of a management request, and the session it used. */
export interface RequestIdentity {
  readonly caller: ApiCaller
  readonly sessionHash: string | undefined
  /** Unix seconds; 0 without a session. */
  readonly authenticatedAt: number
}

/**
 * Authenticates a request by session cookie or system access token and checks the role. The user is read from the
 * database each time, so bans and role changes apply at once. Throws an API error of the area `auth`.
 */
export async function authenticate(
  request: Request,
  role: Role,
  store: SessionStore,
): Promise<RequestIdentity> {
  const sessionHash = readSessionHash(request, store)
  const session = sessionHash === undefined ? undefined : await findSession(sessionHash, store)
  if (role === 'visitor') return visitorWith(session, sessionHash, request)
  const user = session ?? (await findByAccessToken(request, store))
  checkUserHeader(request.headers.get(USER_HEADER), user.id)
  if (user.status !== USER_STATUS.enabled) {
    await endSessionsOfUser(user.id, undefined, store)
    throw authError('banned')
  }
  if (user.role < ROLE[role]) throw authError('no_permission')
  return {
    caller: toCaller(user),
    sessionHash: session && sessionHash,
    authenticatedAt: session?.authenticated_at ?? 0,
  }
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

const toCaller = ({ id, username, role, group }: PrincipalRow): ApiCaller => ({ id, username, role, group })

async function findByAccessToken(request: Request, { db, secrets }: SessionStore): Promise<PrincipalRow> {
  const token = (request.headers.get('authorization') ?? '').replace(/^Bearer\s+/i, '').trim()
  if (token === '') throw unauthenticatedError('not_signed_in')
  const user = await findPrincipalByAccessToken(db, secrets.hash(ACCESS_TOKEN_PURPOSE, token))
  if (!user) throw authError('invalid_access_token')
  return user
}

function checkUserHeader(header: string | null, userId: number): void {
  if (header === null || header.trim() === '') throw unauthenticatedError('no_user_header')
  if (header.trim() !== String(userId)) throw unauthenticatedError('wrong_user_header')
}
