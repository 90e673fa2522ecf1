import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { apiErrors } from '#server/core/api-error.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { constantTimeEqual } from '#server/core/crypto.ts'
import {
  type OAuthClient,
  type OAuthEndpoints,
  type ProviderRequestContext,
  requestProvider,
} from '#server/http-client/provider-request.ts'

/** A user as an identity provider knows them. */
export interface ProviderIdentity {
  /** Never changes and is never reassigned. */
  readonly id: string
  /** The name that earlier versions stored instead of the id. It may belong to somebody else by now. */
  readonly legacyId?: string
  /** The name for signing in at the provider. Absent: not to be taken over. */
  readonly login?: string
  /** For display; empty when the provider returns none. */
  readonly name: string
  /** An email address that the provider has verified; empty for none. */
  readonly email: string
}

export const identityError = apiErrors('identity', {
  code_wrong: {
    zh: '{provider} 授权码错误或已过期，请重试',
    en: 'the {provider} code is wrong or has expired; try again',
  },
  declined: { zh: '{provider} 拒绝了授权：{reason}', en: '{provider} declined the authorization: {reason}' },
  unsigned: { zh: '{provider} 登录信息校验失败', en: 'the {provider} signature is not valid' },
  stale: { zh: '{provider} 登录信息已过期，请重试', en: 'the {provider} sign-in has expired; try again' },
})

const GITHUB = 'GitHub'

/** Source: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
const GithubTokenJson = z.object({ access_token: z.string().min(1) })
/** Source: https://docs.github.com/en/rest/users/users#get-the-authenticated-user */
const GithubUserJson = z.object({
  id: z.number().int().positive(),
  login: z.string().min(1),
  name: z.string().nullish(),
  email: z.string().nullish(),
})

/**
 * Exchanges an authorization code for the GitHub user. The id is the number, since a login name can be released and
 * taken by somebody else. Throws identity.code_wrong or party.unreachable.
 */
export async function fetchGithubIdentity(
  code: string,
  { clientId, clientSecret }: OAuthClient,
  { tokenUrl, userUrl }: OAuthEndpoints,
  context: ProviderRequestContext,
): Promise<ProviderIdentity> {
  const headers = { accept: 'application/json', 'user-agent': 'tollgate' }
  const token = GithubTokenJson.safeParse(
    await requestProvider(
      {
        provider: GITHUB,
        method: 'POST',
        url: tokenUrl,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: clientId, client_secret: clientSecret, code }),
      },
      context,
    ),
  )
  if (!token.success) throw identityError('code_wrong', { provider: GITHUB })
  const authorization = `Bearer ${token.data.access_token}`
  const user = GithubUserJson.safeParse(
    await requestProvider(
      { provider: GITHUB, method: 'GET', url: userUrl, headers: { ...headers, authorization } },
      context,
    ),
  )
  if (!user.success) throw identityError('code_wrong', { provider: GITHUB })
  const { id, login, name, email } = user.data
  return { id: String(id), legacyId: login, name: name || login, email: (email ?? '').toLowerCase() }
}

const LINUX_DO = 'Linux DO'

const LinuxdoTokenJson = z.object({ access_token: z.string().min(1) })
const LinuxdoUserJson = z.object({
  id: z.number().int().positive(),
  username: z.string().nullish(),
  name: z.string().nullish(),
})

export interface LinuxdoCode {
  readonly code: string
  /** The page that Linux DO redirects to; empty when this installation does not know its own address. */
  readonly redirectUri: string
}

/** Exchanges an authorization code for the Linux DO user. Throws identity.code_wrong or party.unreachable. */
export async function fetchLinuxdoIdentity(
  { code, redirectUri }: LinuxdoCode,
  { clientId, clientSecret }: OAuthClient,
  { tokenUrl, userUrl }: OAuthEndpoints,
  context: ProviderRequestContext,
): Promise<ProviderIdentity> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    ...(redirectUri && { redirect_uri: redirectUri }),
  }).toString()
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
  }
  const token = LinuxdoTokenJson.safeParse(
    await requestProvider({ provider: LINUX_DO, method: 'POST', url: tokenUrl, headers, body }, context),
  )
  if (!token.success) throw identityError('code_wrong', { provider: LINUX_DO })
  const bearer = { accept: 'application/json', authorization: `Bearer ${token.data.access_token}` }
  const user = LinuxdoUserJson.safeParse(
    await requestProvider({ provider: LINUX_DO, method: 'GET', url: userUrl, headers: bearer }, context),
  )
  if (!user.success) throw identityError('code_wrong', { provider: LINUX_DO })
  const { id, name, username } = user.data
  return { id: String(id), name: name || username || '', email: '' }
}

const WECHAT = 'WeChat'

const WechatUserJson = z.object({ success: z.boolean(), data: z.string() })

interface WechatServer {
  readonly address: string
  readonly token: string
}

/** Looks up a verification code at the operator's WeChat server. Throws identity.code_wrong or party.unreachable. */
export async function fetchWechatIdentity(
  code: string,
  { address, token }: WechatServer,
  context: ProviderRequestContext,
): Promise<ProviderIdentity> {
  const url = `${address}/api/wechat/user?code=${encodeURIComponent(code)}`
  const user = WechatUserJson.safeParse(
    await requestProvider(
      { provider: WECHAT, method: 'GET', url, headers: { authorization: token } },
      context,
    ),
  )
  if (!user.success || !user.data.success || user.data.data === '')
    throw identityError('code_wrong', { provider: WECHAT })
  return { id: user.data.data, name: '', email: '' }
}

const TELEGRAM = 'Telegram'
const TELEGRAM_AGE_SECONDS_MAX = 5 * 60

/** Every field of the sign-in widget: the signed ones, and the signature as `hash`. */
export type WidgetFields = Readonly<Record<string, string>>

/**
 * Verifies the result of the Telegram sign-in widget. Throws identity.unsigned for a wrong signature, and identity.stale
 * for a sign-in older than a few minutes, which may be a replay.
 * Source: https://core.telegram.org/widgets/login#checking-authorization
 */
export function verifyTelegramLogin(fields: WidgetFields, botToken: string): ProviderIdentity {
  const { hash = '', ...signed } = fields
  const text = Object.entries(signed)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
  const key = createHash('sha256').update(botToken).digest()
  const expected = createHmac('sha256', key).update(text).digest('hex')
  const { id = '', auth_date = '', first_name = '', last_name = '' } = signed
  if (id === '' || botToken === '' || !constantTimeEqual(hash, expected))
    throw identityError('unsigned', { provider: TELEGRAM })
  // Negated, so that a date that is no number counts as stale.
  if (!(Number(auth_date) > nowSeconds() - TELEGRAM_AGE_SECONDS_MAX))
    throw identityError('stale', { provider: TELEGRAM })
  return { id, name: `${first_name} ${last_name}`.trim(), email: '' }
}
