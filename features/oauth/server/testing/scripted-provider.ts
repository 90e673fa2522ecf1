import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { nowSeconds } from '#server/core/clock.ts'
import { type LocalServer, openLocalServer, type RecordedRequest } from '#server/testing/local-server.ts'

export const CLIENT_ID = 'tollgate'
export const PERSON = {
  sub: 'subject-1',
  email: 'Ann@Example.com',
  email_verified: true,
  name: 'Ann Example',
  preferred_username: 'ann',
  groups: ['employees'],
}

/** What a provider can be made to say, to be right or wrong in one thing. */
export interface Script {
  /** Claims that replace those of an honest ID token; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  /** Signs with a key that the provider does not publish. */
  readonly isForeignKey?: boolean
  /** Replaces the signed token as a whole. */
  readonly toToken?: (honest: string) => string | Promise<string>
  readonly userInfo?: (honest: object) => Response
  readonly token?: () => Response
  readonly discovery?: (honest: object) => Response
  readonly keys?: (honest: object) => Response
  /** Parameters that replace those with which an honest provider redirects back; undefined removes one. */
  readonly callback?: Readonly<Record<string, string | undefined>>
}

/** An OpenID provider that follows a script. */
export interface ScriptedProvider {
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  script: Script
  /** The query with which it redirects back from an authorization address. */
  authorize(url: string): Record<string, string>
  /** A signed token for back-channel logout. */
  logoutToken(claims?: Readonly<Record<string, unknown>>): Promise<string>
  /** A key that signs, which the provider publishes. */
  readonly publicKey: JsonWebKey
  close(): Promise<void>
}

const LIFE_SECONDS = 300
const without = (record: object) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

interface Keys {
  readonly own: CryptoKey
  readonly foreign: CryptoKey
}

const sign = (claims: object, { header, isForeignKey }: Script, { own, foreign }: Keys): Promise<string> =>
  new SignJWT(without(claims))
    .setProtectedHeader({ alg: 'RS256', kid: 'key-1', ...header })
    .sign(isForeignKey ? foreign : own)

async function idToken(issuer: string, nonce: string, script: Script, keys: Keys): Promise<string> {
  const claims = {
    ...PERSON,
    iss: issuer,
    aud: CLIENT_ID,
    nonce,
    sid: 'session-1',
    iat: nowSeconds(),
    exp: nowSeconds() + LIFE_SECONDS,
    ...script.claims,
  }
  const honest = await sign(claims, script, keys)
  return script.toToken ? script.toToken(honest) : honest
}

const configurationOf = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/authorize`,
  token_endpoint: `${url}/token`,
  userinfo_endpoint: `${url}/userinfo`,
  jwks_uri: `${url}/keys`,
  end_session_endpoint: `${url}/logout`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
})

const logoutClaims = (url: string) => ({
  iss: url,
  aud: CLIENT_ID,
  iat: nowSeconds(),
  exp: nowSeconds() + LIFE_SECONDS,
  jti: 'logout-1',
  sub: PERSON.sub,
  events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
})

/** Of all providers of a process: making keys takes longer than most tests. */
let keyPairs: Promise<readonly [CryptoKeyPair, CryptoKeyPair]> | undefined

export async function openScriptedProvider(): Promise<ScriptedProvider> {
  const server: LocalServer = openLocalServer()
  const { url, handlers } = server
  keyPairs ??= Promise.all([generateKeyPair('RS256', { extractable: true }), generateKeyPair('RS256')])
  const [{ privateKey, publicKey }, foreign] = await keyPairs
  const keys = { own: privateKey, foreign: foreign.privateKey }
  const published: JsonWebKey = { ...(await exportJWK(publicKey)) }
  const nonces = new Map<string, string>()
  const provider: ScriptedProvider = {
    url,
    requests: server.requests,
    script: {},
    publicKey: published,
    authorize(address) {
      const { nonce = '', state = '' } = Object.fromEntries(new URL(address).searchParams)
      const code = `code-${nonces.size}`
      nonces.set(code, nonce)
      return without({ code, state, iss: url, ...provider.script.callback })
    },
    logoutToken: (claims = {}) => sign({ ...logoutClaims(url), ...claims }, {}, keys),
    close: () => server.close(),
  }
  const scripted = (name: 'discovery' | 'keys' | 'userInfo', honest: object) => () =>
    provider.script[name]?.(honest) ?? Response.json(honest)
  handlers['/.well-known/openid-configuration'] = scripted('discovery', configurationOf(url))
  handlers['/keys'] = scripted('keys', { keys: [{ ...published, kid: 'key-1', alg: 'RS256', use: 'sig' }] })
  handlers['/userinfo'] = scripted('userInfo', PERSON)
  handlers['/token'] = async ({ body }) => {
    const nonce = nonces.get(new URLSearchParams(body).get('code') ?? '')
    if (provider.script.token) return provider.script.token()
    if (nonce === undefined) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const id_token = await idToken(url, nonce, provider.script, keys)
    return Response.json({ access_token: 'access', token_type: 'Bearer', id_token })
  }
  return provider
}
