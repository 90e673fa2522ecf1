import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import { nowMs } from '#server/core/clock.ts'
import { GatewayError } from '#server/core/errors.ts'
import type { WorkloadRule } from '../../options.ts'
import { discoverConfiguration, fetchWithin, type OpenIdClientDeps, SIGNATURES } from '../openid/client.ts'

/** An issuer that changes its addresses announces it long before. */
const CONFIGURATION_MS = 3_600_000
/** A key that is not known is looked for as often, whoever asks. */
const KEYS_PAUSE_MS = 30_000
/** An issuer that did not respond is asked again only then, so that its workloads do not wait in turn. */
const FAILURE_MS = 30_000
const SKEW_SECONDS = 30
const SECOND_MS = 1000

type KeySet = ReturnType<typeof createRemoteJWKSet>

interface ReadKeys {
  readonly keys: Promise<KeySet>
  untilMs: number
}

export interface VerifiedWorkload {
  readonly tokenId: number
  readonly untilMs: number
}

/** Verifies identity tokens by the published keys of their issuers. */
export class WorkloadVerifier {
  private readonly deps: OpenIdClientDeps
  private readonly issuers = new Map<string, ReadKeys>()

  constructor(deps: OpenIdClientDeps) {
    this.deps = deps
  }

  /** Throws GatewayError `invalid_api_key` with the reason, and `upstream_failed` while the keys cannot be read. */
  async verify(token: string, rules: readonly WorkloadRule[]): Promise<VerifiedWorkload> {
    const issuer = issuerOf(token)
    const ofIssuer = rules.filter(rule => isSameIssuer(rule.issuer, issuer))
    const [first] = ofIssuer
    if (!first) throw invalid(REASONS.issuer)
    const keys = await this.keysOf(first)
    const { payload } = await jwtVerify(token, keys, {
      issuer: [first.issuer, `${first.issuer}/`, first.issuer.replace(/\/$/, '')],
      audience: ofIssuer.map(({ audience }) => audience),
      algorithms: SIGNATURES,
      requiredClaims: ['exp'],
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(nowMs()),
    }).catch((error: unknown) => {
      throw reasonOf(error)
    })
    const rule = ofIssuer.find(candidate => matches(candidate, payload))
    if (!rule) throw invalid(REASONS.claims)
    return { tokenId: rule.token, untilMs: (payload.exp ?? 0) * SECOND_MS }
  }

  private keysOf({ issuer, audience }: WorkloadRule): Promise<KeySet> {
    const known = this.issuers.get(issuer)
    if (known && known.untilMs > nowMs()) return known.keys
    const keys = this.readKeys(issuer, audience)
    const read = { keys, untilMs: nowMs() + CONFIGURATION_MS }
    this.issuers.set(issuer, read)
    keys.catch(() => {
      read.untilMs = nowMs() + FAILURE_MS
    })
    return keys
  }

  private async readKeys(issuer: string, audience: string): Promise<KeySet> {
    const provider = { issuer, client_id: audience, client_secret: '' }
    const address = await discoverConfiguration(provider, this.deps)
      .then(configuration => configuration.serverMetadata().jwks_uri)
      .catch((cause: unknown) => {
        throw unreadable(cause)
      })
    if (!address) throw unreadable(new Error('the issuer publishes no keys'))
    return createRemoteJWKSet(new URL(address), {
      [customFetch]: onceInAWhile(fetchWithin({ issuer }, this.deps)),
      cooldownDuration: KEYS_PAUSE_MS,
      cacheMaxAge: CONFIGURATION_MS,
    })
  }
}

const HTTP_OK = 200
const KeyDocument = z.object({ keys: z.array(z.looseObject({})) })

type Fetch = ReturnType<typeof fetchWithin>

/** Reads a document of keys. After a failure, others fail at once for a time instead of waiting in turn. */
function onceInAWhile(fetch: Fetch): Fetch {
  let failure: { readonly cause: unknown; readonly untilMs: number } | undefined
  return async (...call) => {
    if (failure && failure.untilMs > nowMs()) throw failure.cause
    try {
      const response = await fetch(...call)
      if (response.status !== HTTP_OK) throw new Error(`the keys have status ${response.status}`)
      return Response.json(KeyDocument.parse(await response.json()))
    } catch (error) {
      const cause = unreadable(error)
      failure = { cause, untilMs: nowMs() + FAILURE_MS }
      throw cause
    }
  }
}

function issuerOf(token: string): string {
  try {
    return z.string().catch('').parse(decodeJwt(token).iss)
  } catch (cause) {
    throw invalid(REASONS.signature, cause)
  }
}

const isSameIssuer = (configured: string, named: string): boolean =>
  configured.replace(/\/$/, '') === named.replace(/\/$/, '')

function matches({ audience, claims }: WorkloadRule, payload: JWTPayload): boolean {
  return (
    [payload.aud].flat().includes(audience) &&
    Object.entries(claims).every(([name, pattern]) => hasValue(claimOf(payload, name), pattern))
  )
}

/** `kubernetes.io/namespace` is a member of an object; a claim may have a slash in its own name, too. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name]
  return name
    .split('/')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? Reflect.get(value, key)
          : undefined,
      payload,
    )
}

/** A list has the value if one of its entries has. */
const hasValue = (value: unknown, pattern: string): boolean =>
  Array.isArray(value) ? value.some(entry => isLike(entry, pattern)) : isLike(value, pattern)

function isLike(value: unknown, pattern: string): boolean {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false
  const text = String(value)
  const at = pattern.indexOf('*')
  if (at < 0) return text === pattern
  const [head, tail] = [pattern.slice(0, at), pattern.slice(at + 1)]
  return text.length >= head.length + tail.length && text.startsWith(head) && text.endsWith(tail)
}

const REASONS = {
  expired: { zh: '身份令牌已过期', en: 'the identity token has expired' },
  issuer: { zh: '没有规则接受该身份令牌的签发方', en: 'no rule names the issuer of the identity token' },
  claims: {
    zh: '没有规则接受该身份令牌的受众与声明',
    en: 'no rule admits the audience and the claims of the identity token',
  },
  signature: {
    zh: '身份令牌的签名或格式无效',
    en: 'the identity token is not valid: its signature, algorithm or form is wrong',
  },
} as const

const invalid = (reason: (typeof REASONS)[keyof typeof REASONS], cause?: unknown): GatewayError =>
  new GatewayError('invalid_api_key', reason, { cause })

const unreadable = (cause: unknown): GatewayError =>
  new GatewayError(
    'upstream_failed',
    {
      zh: '暂时无法读取身份令牌签发方的公钥',
      en: 'the keys of the issuer of the identity token cannot be read',
    },
    { cause },
  )

function reasonOf(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof errors.JWTExpired) return invalid(REASONS.expired, error)
  if (error instanceof errors.JWTClaimValidationFailed) return invalid(REASONS.claims, error)
  const isUnreadable =
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    !(error instanceof errors.JOSEError)
  return isUnreadable ? unreadable(error) : invalid(REASONS.signature, error)
}
