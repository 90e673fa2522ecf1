import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { z } from 'zod'
import { nowMs } from '#server/core/clock.ts'
import { MIB } from '#server/core/limits.ts'
import type { SafeFetch } from '#server/http-client/safe-fetch.ts'
import type { Send } from '#server/http-client/send.ts'
import type { OpenIdProvider } from './provider.ts'

const RESPONSE_TIMEOUT_MS = 10_000
const DOCUMENT_BYTES_MAX = MIB
/** A provider that changes its endpoints announces it long before. */
const DISCOVERED_MS = 3_600_000
/** Logout tokens are sent at once. Source: OpenID Connect Back-Channel Logout 1.0, section 2.4. */
const LOGOUT_TOKEN_AGE = '5 minutes'
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** No shared secret signs what anybody can send us. */
export const SIGNATURES = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
]

/** What a provider says of a person. Source: OpenID Connect Core 1.0, section 5.1. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string }

/** A sign-in that the provider vouches for. */
export interface VerifiedSignIn {
  readonly claims: Claims
  readonly idToken: string
}

export interface AuthorizationRequest {
  readonly callback: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Whose session ends. */
interface LoggedOut {
  readonly subject: string | undefined
  readonly sid: string | undefined
}

/** Speaks OpenID Connect with the providers. Configurations and keys are kept for an hour. */
export interface OpenIdClient {
  /** Reads the configuration anew. Rejects with the library's error when it cannot be used. */
  discover(provider: OpenIdProvider): Promise<void>
  authorizationUrl(provider: OpenIdProvider, request: AuthorizationRequest): Promise<string>
  /** Exchanges the code and verifies issuer, audience, nonce, time and signature of what comes back. */
  verifyCallback(
    provider: OpenIdProvider,
    request: AuthorizationRequest,
    params: Readonly<Record<string, string>>,
  ): Promise<VerifiedSignIn>
  /** Where the browser signs out at the provider; undefined when it has no such address. */
  endSessionUrl(provider: OpenIdProvider, idToken: string, returnTo: string): Promise<string | undefined>
  /** Verifies a token of back-channel logout. */
  verifyLogoutToken(provider: OpenIdProvider, token: string): Promise<LoggedOut>
}

export interface OpenIdClientDeps {
  readonly send: Send
  readonly safeFetch: SafeFetch
}

interface Discovered {
  readonly config: oidc.Configuration
  readonly updatedAt: number
  readonly untilMs: number
}

export function createOpenIdClient(deps: OpenIdClientDeps): OpenIdClient {
  const discovered = new Map<string, Discovered>()

  const configure = async (provider: OpenIdProvider): Promise<oidc.Configuration> => {
    const config = await discoverConfiguration(provider, deps)
    const { slug, updatedAt } = provider
    discovered.set(slug, { config, updatedAt, untilMs: nowMs() + DISCOVERED_MS })
    return config
  }
  const configurationOf = async (provider: OpenIdProvider): Promise<oidc.Configuration> => {
    const known = discovered.get(provider.slug)
    const isCurrent = known && known.updatedAt === provider.updatedAt && known.untilMs > nowMs()
    return isCurrent ? known.config : configure(provider)
  }

  return {
    discover: async provider => void (await configure(provider)),
    async authorizationUrl(provider, { callback, state, nonce, verifier }) {
      const scopes = new Set(['openid', ...provider.scopes.split(/\s+/).filter(Boolean)])
      const url = oidc.buildAuthorizationUrl(await configurationOf(provider), {
        redirect_uri: callback,
        scope: [...scopes].join(' '),
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return url.href
    },
    async verifyCallback(provider, { callback, state, nonce, verifier }, params) {
      const config = await configurationOf(provider)
      const url = new URL(callback)
      url.search = new URLSearchParams(params).toString()
      const tokens = await oidc.authorizationCodeGrant(config, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims || !tokens.id_token) throw new Error('the provider sent no ID token')
      const more = config.serverMetadata().userinfo_endpoint
        ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
        : {}
      return { claims: { ...more, ...claims }, idToken: tokens.id_token }
    },
    async endSessionUrl(provider, idToken, returnTo) {
      const config = await configurationOf(provider)
      if (!config.serverMetadata().end_session_endpoint) return undefined
      return oidc.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: returnTo })
        .href
    },
    async verifyLogoutToken(provider, token) {
      const { jwks_uri, issuer } = (await configurationOf(provider)).serverMetadata()
      if (!jwks_uri) throw new Error('the provider publishes no keys')
      const keys = createRemoteJWKSet(new URL(jwks_uri), { [customFetch]: fetchWithin(provider, deps) })
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: provider.client_id,
        algorithms: SIGNATURES,
        maxTokenAge: LOGOUT_TOKEN_AGE,
        requiredClaims: ['iat', 'jti', 'events'],
      })
      const { sub, sid } = LogoutClaims.parse(payload)
      return { subject: sub, sid }
    },
  }
}

/** A nonce would make it an ID token. Source: OpenID Connect Back-Channel Logout 1.0, section 2.6. */
const LogoutClaims = z
  .object({
    sub: z.string().min(1).optional(),
    sid: z.string().min(1).optional(),
    nonce: z.never().optional(),
    events: z.object({ [LOGOUT_EVENT]: z.looseObject({}) }),
  })
  .refine(
    ({ sub, sid }) => sub !== undefined || sid !== undefined,
    'it names neither a subject nor a session',
  )

/** Reads what a provider publishes of itself. Rejects with the library's error when it cannot be used. */
export async function discoverConfiguration(
  provider: Pick<OpenIdProvider, 'issuer' | 'client_id' | 'client_secret'>,
  deps: OpenIdClientDeps,
): Promise<oidc.Configuration> {
  const { issuer, client_id, client_secret } = provider
  const url = new URL(issuer)
  const execute = [
    oidc.enableNonRepudiationChecks,
    ...(url.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
  ]
  const read = await oidc.discovery(url, client_id, undefined, oidc.None(), {
    [oidc.customFetch]: fetchWithin(provider, deps),
    execute,
  })
  const metadata = read.serverMetadata()
  const config = new oidc.Configuration(metadata, client_id, {}, authenticationOf(client_secret, metadata))
  config[oidc.customFetch] = fetchWithin(provider, deps)
  for (const prepare of execute) prepare(config)
  return config
}

/** Source: OpenID Connect Discovery 1.0, `token_endpoint_auth_methods_supported`, whose default is Basic. */
function authenticationOf(secret: string, metadata: oidc.ServerMetadata): oidc.ClientAuth {
  if (secret === '') return oidc.None()
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic')
    ? oidc.ClientSecretBasic(secret)
    : oidc.ClientSecretPost(secret)
}

/**
 * The library's requests through our own connections, with a limit for what comes back. The issuer was chosen by a super
 * administrator and may be within a private network; other hosts that its configuration names must be public.
 */
export const fetchWithin =
  ({ issuer }: Pick<OpenIdProvider, 'issuer'>, { send, safeFetch }: OpenIdClientDeps) =>
  async (url: string, { method, headers, body, signal }: FetchOptions): Promise<Response> => {
    const request = {
      method: method === 'POST' ? ('POST' as const) : ('GET' as const),
      url,
      headers: Object.fromEntries(new Headers(headers)),
      body: body === undefined || body === null ? undefined : String(body),
    }
    return new URL(url).origin === new URL(issuer).origin
      ? requestIssuer(request, signal ?? AbortSignal.timeout(RESPONSE_TIMEOUT_MS), send)
      : requestOther(request, safeFetch)
  }

interface FetchOptions {
  readonly method?: string
  readonly headers?: HeadersInit
  readonly body?: unknown
  readonly signal?: AbortSignal | null | undefined
}

interface OutgoingCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

async function requestIssuer(call: OutgoingCall, signal: AbortSignal, send: Send): Promise<Response> {
  const sent = await send(call, { signal, headersTimeoutMs: RESPONSE_TIMEOUT_MS, proxy: undefined })
  if (sent.kind === 'failure') throw new Error(sent.failure.message)
  const { response } = sent
  const timer = setTimeout(() => response.cancel(new Error('it took too long')), RESPONSE_TIMEOUT_MS)
  try {
    const bytes = await response.readAll(DOCUMENT_BYTES_MAX)
    return toResponse(bytes, response.status, response.headers.get('content-type') ?? '')
  } finally {
    clearTimeout(timer)
    response.cancel()
  }
}

async function requestOther(call: OutgoingCall, safeFetch: SafeFetch): Promise<Response> {
  const { body, ...request } = call
  const fetched = await safeFetch({
    ...request,
    ...(body !== undefined && { body }),
    bytesMax: DOCUMENT_BYTES_MAX,
    timeoutMs: RESPONSE_TIMEOUT_MS,
  })
  if (fetched.kind === 'failure') throw new Error(fetched.reason.en)
  return toResponse(fetched.bytes, fetched.status, fetched.contentType)
}

/** A redirect is passed on without its address, which nobody may follow. */
const toResponse = (bytes: Uint8Array<ArrayBuffer>, status: number, type: string): Response =>
  new Response(bytes.byteLength === 0 ? null : bytes, { status, headers: { 'content-type': type } })
