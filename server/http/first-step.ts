import { z } from 'zod'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { ROLE } from '#contract/enums.ts'
import type { ApiDeps } from '../api/context.ts'
import { apiErrors } from '../core/api-error.ts'
import { nowSeconds } from '../core/clock.ts'
import { constantTimeEqual, FIRST_STEP_PURPOSE, type Secrets } from '../core/crypto.ts'
import { findUser, type UserRow } from '../db/accounts/users.ts'
import type { CookieScope, RequestIdentity, SessionStore } from './authenticate.ts'

const FORBIDDEN = 403
/** Time to find the telephone. */
const STEP_SECONDS = 10 * 60
const NAME = 'first-step'
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([\\w-]{1,600})(?:;|$)`)
const FirstStep = z.object({ step: z.literal(NAME), userId: z.number(), state: z.string(), at: z.number() })

export const firstStepError = apiErrors('auth', {
  factor_required: {
    zh: '请使用通行密钥、验证器或恢复代码完成两步验证',
    en: 'complete this with your second factor: a passkey, the code of your authenticator app, or a recovery code',
  },
})
const enrolmentError = apiErrors(
  'auth',
  {
    enrolment_required: {
      zh: '管理员要求使用两步验证，请先在个人设置中添加通行密钥或验证器',
      en: 'your administrator requires a second factor; add a passkey or an authenticator app in your settings first',
    },
  },
  FORBIDDEN,
)

/** The cookie of somebody whose sign-in lacks nothing but the second factor. It proves nothing to any other call. */
export async function createFirstStepCookie(
  userId: number,
  scope: CookieScope,
  { db, secrets }: SessionStore,
): Promise<string> {
  const user = await findUser(db, userId)
  const state = user ? stateOf(user, secrets) : ''
  const encrypted = secrets.encrypt(JSON.stringify({ step: NAME, userId, state, at: nowSeconds() }))
  return setCookie(Buffer.from(encrypted).toString('base64url'), STEP_SECONDS, scope)
}

export const dropFirstStep = (scope: CookieScope): string => setCookie('', 0, scope)

/** The user of the cookie, unless it has expired or the password was replaced since. */
export async function findFirstStep(
  request: Request,
  { db, secrets }: SessionStore,
): Promise<number | undefined> {
  const cookie = COOKIE.exec(request.headers.get('cookie') ?? '')?.[1]
  const step = cookie === undefined ? undefined : readStep(cookie, secrets)
  if (!step || step.at <= nowSeconds() - STEP_SECONDS) return undefined
  const user = await findUser(db, step.userId)
  return user && constantTimeEqual(step.state, stateOf(user, secrets)) ? user.id : undefined
}

function readStep(cookie: string, secrets: Secrets): z.infer<typeof FirstStep> | undefined {
  try {
    return FirstStep.parse(JSON.parse(secrets.decrypt(Buffer.from(cookie, 'base64url').toString())))
  } catch {
    // A cookie of another installation, or an invented one, is none.
    return undefined
  }
}

const stateOf = ({ id, password_hash }: UserRow, secrets: Secrets): string =>
  secrets.hash(FIRST_STEP_PURPOSE, `${id} ${password_hash}`)

const setCookie = (value: string, maxAgeSeconds: number, { basePath, isSecure }: CookieScope): string =>
  `${NAME}=${value}; Path=${basePath}/api/user; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`

/** Rejects sessions whose user must have a second factor and has none, except where one is added. */
export async function requireEnrolment(
  { caller, sessionHash }: RequestIdentity,
  { role, isForEnrolment }: AnyEndpoint,
  { db, events, settings }: Pick<ApiDeps, 'db' | 'events' | 'settings'>,
): Promise<void> {
  const { SecondFactorRequired: required } = settings.current().values
  const isRequired = required === 'everybody' || (required === 'admins' && caller.role >= ROLE.admin)
  if (!isRequired || sessionHash === undefined || role === 'visitor' || isForEnrolment) return
  if ((await events.factorsOf(db, caller.id)).length === 0) throw enrolmentError('enrolment_required')
}
