import type { Role } from '#contract/enums.ts'
import { ROLE, USER_STATUS } from '#contract/enums.ts'
import { type ApiCaller, VISITOR } from '../api/context.ts'
import { ACCESS_TOKEN_PURPOSE } from '../core/crypto.ts'
import { apiErrors } from '../core/api-error.ts'
import type { SessionRow } from '../db/accounts/sessions.ts'
import { findPrincipalByAccessToken, type PrincipalRow } from '../db/accounts/users.ts'
import { closeSessionsOfUser, findSession, type SessionStore, sessionHashOf } from './session-cookie.ts'

const UNAUTHENTICATED = 401
const USER_HEADER = 'new-api-user'

const refuseStranger = apiErrors(
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
const refuse = apiErrors('auth', {
  invalid_access_token: { zh: '访问令牌无效', en: 'the access token is not valid' },
  banned: { zh: '用户已被封禁', en: 'the account is banned' },
  no_permission: { zh: '权限不足', en: 'you have no permission for this' },
})

/** Who calls, and through which session. */
export interface Identity {
  readonly caller: ApiCaller
  readonly sessionHash: string | undefined
  /** Unix seconds; 0 without a session. */
  readonly authenticatedAt: number
}

/** Says who calls and refuses whoever may not call an endpoint of this role. The user is read from the database each time. */
export async function identify(request: Request, role: Role, store: SessionStore): Promise<Identity> {
  const sessionHash = sessionHashOf(request, store)
  const session = sessionHash === undefined ? undefined : await findSession(sessionHash, store)
  if (role === 'visitor') return visitorWith(session, sessionHash, request)
  const user = session ?? (await findByAccessToken(request, store))
  checkUserHeader(request.headers.get(USER_HEADER), user.id)
  if (user.status !== USER_STATUS.enabled) {
    await closeSessionsOfUser(user.id, undefined, store)
    throw refuse('banned')
  }
  if (user.role < ROLE[role]) throw refuse('no_permission')
  return {
    caller: toCaller(user),
    sessionHash: session && sessionHash,
    authenticatedAt: session?.authenticated_at ?? 0,
  }
}

/** Calls that are open to everybody know the signed-in user when the request names that user too; nothing is refused. */
function visitorWith(
  session: SessionRow | undefined,
  sessionHash: string | undefined,
  request: Request,
): Identity {
  const isKnown =
    session?.status === USER_STATUS.enabled && request.headers.get(USER_HEADER) === String(session.id)
  return {
    caller: isKnown ? toCaller(session) : VISITOR,
    sessionHash,
    authenticatedAt: isKnown ? session.authenticated_at : 0,
  }
}

const toCaller = ({ id, username, role, group }: PrincipalRow): ApiCaller => ({ id, username, role, group })

async function findByAccessToken(request: Request, { db, secrets }: SessionStore): Promise<PrincipalRow> {
  const token = (request.headers.get('authorization') ?? '').replace(/^Bearer\s+/i, '').trim()
  if (token === '') throw refuseStranger('not_signed_in')
  const user = await findPrincipalByAccessToken(db, secrets.hash(ACCESS_TOKEN_PURPOSE, token))
  if (!user) throw refuse('invalid_access_token')
  return user
}

function checkUserHeader(header: string | null, userId: number): void {
  if (header === null || header.trim() === '') throw refuseStranger('no_user_header')
  if (header.trim() !== String(userId)) throw refuseStranger('wrong_user_header')
}
