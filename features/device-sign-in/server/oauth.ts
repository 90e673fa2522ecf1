import { TOKEN_NAME_LENGTH_MAX } from '#contract/entities/token-fields.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowMs, nowSeconds } from '#server/core/clock.ts'
import { randomAlphanumeric, randomLetters } from '#server/core/ids.ts'
import type { RateLimit } from '#server/core/rate-limit.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { showUserCode, USER_CODE_LENGTH, USER_CODE_LETTERS } from '../contract.ts'
import { grantToken, refreshToken, revokeToken, type TokenResponse } from './grants.ts'
import {
  consumeDeviceCode,
  type DeviceCodeRow,
  deleteExpiredSignIns,
  findDeviceCode,
  insertDeviceCode,
  notePoll,
} from './queries.ts'

const DEVICE_CODE_PURPOSE = 'device-code'
export const USER_CODE_PURPOSE = 'user-code'

export type OauthDeps = Pick<ApiContext, 'db' | 'settings' | 'secrets' | 'rateLimiter' | 'log' | 'events'>

/** A call of a program that signs in. */
export interface OauthCall {
  readonly form: URLSearchParams
  /** Scheme and host at which the program reached the gateway. */
  readonly origin: string
  readonly clientIp: string
  readonly network: string
  readonly requestId: string
}

export type OauthEndpoint = (call: OauthCall, deps: OauthDeps) => Promise<Response>

const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const PATHS = {
  device: '/oauth/device_authorization',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
} as const

/** The endpoints by path. Sources: RFC 8628 (device codes), RFC 6749 (refresh), RFC 7009 (revocation). */
export const OAUTH_ENDPOINTS: Readonly<Record<string, OauthEndpoint>> = {
  [PATHS.device]: authorizeDevice,
  [PATHS.token]: respondToken,
  [PATHS.revocation]: revoke,
}

/** OAuth metadata, which clients read before they sign in. Source: RFC 8414. */
export const discoveryDocument = (origin: string): Response =>
  oauthResponse({
    issuer: origin,
    device_authorization_endpoint: origin + PATHS.device,
    token_endpoint: origin + PATHS.token,
    revocation_endpoint: origin + PATHS.revocation,
    grant_types_supported: [DEVICE_CODE_GRANT, 'refresh_token'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
  })

const CODE_SECONDS = 600
const POLL_SECONDS = 5
/** Clients that sleep a little too short must not be slowed down. */
const POLL_MS_MIN = POLL_SECONDS * 1000 - 1000
const DEVICE_CODE_CHARS = 48
const WINDOW_MS = 10 * 60_000
/** By network: an office may sign in together. */
const DEVICE_CODES: RateLimit = { name: 'device codes', limit: 60, windowMs: WINDOW_MS }
const WRONG_SECRETS: RateLimit = { name: 'wrong device secrets', limit: 60, windowMs: WINDOW_MS }

async function authorizeDevice(call: OauthCall, deps: OauthDeps): Promise<Response> {
  const { form, origin, clientIp, network } = call
  const { db, secrets, rateLimiter } = deps
  const { isAllowed, retryAfterMs } = await rateLimiter.take(DEVICE_CODES, network)
  if (!isAllowed) return tooManyRequests(retryAfterMs)
  const now = nowSeconds()
  await deleteExpiredSignIns(db, now)
  const deviceCode = randomAlphanumeric(DEVICE_CODE_CHARS)
  const userCode = randomLetters(USER_CODE_LENGTH, USER_CODE_LETTERS)
  await insertDeviceCode(db, {
    device_hash: secrets.hash(DEVICE_CODE_PURPOSE, deviceCode),
    user_code_hash: secrets.hash(USER_CODE_PURPOSE, userCode),
    client_name: readClientName(form),
    address: clientIp,
    created_at: now,
    expires_at: now + CODE_SECONDS,
    user_id: null,
  })
  const shown = showUserCode(userCode)
  return oauthResponse({
    device_code: deviceCode,
    user_code: shown,
    verification_uri: `${origin}/device`,
    verification_uri_complete: `${origin}/device?user_code=${shown}`,
    expires_in: CODE_SECONDS,
    interval: POLL_SECONDS,
  })
}

/** Programs may name themselves, such as `Claude Code on laptop`. */
const readClientName = (form: URLSearchParams): string =>
  [...(form.get('client_name') ?? '').replace(/\p{C}/gu, '').trim()].slice(0, TOKEN_NAME_LENGTH_MAX).join('')

async function respondToken(call: OauthCall, deps: OauthDeps): Promise<Response> {
  switch (call.form.get('grant_type')) {
    case DEVICE_CODE_GRANT:
      return exchangeDeviceCode(call, deps)
    case 'refresh_token':
      return countingWrong(call, deps, async () => {
        const rotated = await refreshToken(call.form.get('refresh_token') ?? '', call, deps)
        return rotated && tokenResponse(rotated)
      })
    case null:
      return oauthError('invalid_request', 'grant_type is missing')
    default:
      return oauthError('unsupported_grant_type', `use ${DEVICE_CODE_GRANT} or refresh_token`)
  }
}

const exchangeDeviceCode = (call: OauthCall, deps: OauthDeps): Promise<Response> =>
  countingWrong(call, deps, async () => {
    const deviceHash = deps.secrets.hash(DEVICE_CODE_PURPOSE, call.form.get('device_code') ?? '')
    const code = await findDeviceCode(deps.db, deviceHash, nowSeconds())
    if (!code) return undefined
    return code.decision === 'pending' ? await respondPending(code, deps) : await redeem(code, call, deps)
  })

async function respondPending({ device_hash }: DeviceCodeRow, { db }: OauthDeps): Promise<Response> {
  const now = nowMs()
  const isPatient = await notePoll(db, device_hash, { nowMs: now, polledUntilMs: now - POLL_MS_MIN })
  return isPatient
    ? oauthError('authorization_pending', 'the user has not decided yet')
    : oauthError('slow_down', `poll every ${POLL_SECONDS} s`)
}

/** Exchanges a decided code, once. */
async function redeem(code: DeviceCodeRow, call: OauthCall, deps: OauthDeps): Promise<Response | undefined> {
  const denied = () => oauthError('access_denied', 'the user has refused the sign-in')
  const response = await inTransaction(deps.db, async tx => {
    if (!(await consumeDeviceCode(tx, code.device_hash))) return undefined
    if (code.decision !== 'approved') return denied()
    const granted = await grantToken(code, call, { ...deps, db: tx })
    return granted ? tokenResponse(granted) : denied()
  })
  return response
}

/**
 * Runs a check of a secret. Undefined means that it is wrong, which counts against the network of the caller. A right one
 * passes whatever others in its network have tried.
 */
async function countingWrong(
  { form, network }: OauthCall,
  { rateLimiter }: OauthDeps,
  check: () => Promise<Response | undefined>,
): Promise<Response> {
  const response = await check()
  if (response) return response
  const { isAllowed, retryAfterMs } = await rateLimiter.take(WRONG_SECRETS, network)
  if (!isAllowed) return tooManyRequests(retryAfterMs)
  return form.get('grant_type') === 'refresh_token'
    ? oauthError('invalid_grant', 'the refresh token is not valid; sign in again', UNAUTHORIZED)
    : oauthError('expired_token', 'the device code is unknown, was used or has expired')
}

/** Signs a program out. An unknown token is signed out already. */
async function revoke(call: OauthCall, deps: OauthDeps): Promise<Response> {
  await revokeToken(call.form.get('token') ?? '', deps)
  return oauthResponse({})
}

const BAD_REQUEST = 400
const UNAUTHORIZED = 401
const TOO_MANY_REQUESTS = 429

const tokenResponse = ({ accessToken, refreshToken, expiresIn }: TokenResponse): Response =>
  oauthResponse({
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresIn,
    refresh_token: refreshToken,
  })

function tooManyRequests(retryAfterMs: number): Response {
  const response = oauthError('slow_down', 'too many requests', TOO_MANY_REQUESTS)
  response.headers.set('retry-after', String(Math.ceil(retryAfterMs / 1000)))
  return response
}

const oauthError = (error: string, description: string, status = BAD_REQUEST): Response =>
  oauthResponse({ error, error_description: description }, status)

const oauthResponse = (body: object, status = 200): Response =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
