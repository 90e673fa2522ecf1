import { createSign } from 'node:crypto'
import { errorMessage, GatewayError } from '../../core/errors.ts'
import type {
  AdapterCall,
  ChannelView,
  Credential,
  ProviderIo,
} from '../../provider-kit/contract/operation-adapter.ts'
import { noTokenFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { signJwt } from '../../provider-kit/signing.ts'

const REGION_DEFAULT = 'us-central1'
const NO_REGION = 'global'

type VertexCall = Pick<AdapterCall<unknown>, 'channel' | 'model' | 'credential'>

const REGION = /^[a-z0-9-]+$/

/** One region for all models, or JSON with a region by model and a `default`. */
export function readRegion(other: string, model: string): string {
  const json = parseJson(other)
  if (!isObject(json)) return other.trim() || REGION_DEFAULT
  return asString(json[model]) || asString(json.default) || REGION_DEFAULT
}

/** Source: cloud.google.com/vertex-ai/docs/reference/rest */
export function vertexUrl({ channel, model }: VertexCall, version: 'v1' | 'v1beta1', path: string): string {
  const region = readRegion(channel.other, model)
  // The region is part of the host: other text in it could send the credential elsewhere.
  if (!REGION.test(region))
    throw new GatewayError('upstream_failed', {
      zh: `渠道的区域不正确：${region}`,
      en: `the channel's region is not valid: ${region}`,
    })
  const host = region === NO_REGION ? 'aiplatform.googleapis.com' : `${region}-aiplatform.googleapis.com`
  const { project } = readServiceAccount(channel.key)
  return `${channel.baseUrl || `https://${host}`}/${version}/projects/${project}/locations/${region}/${path}`
}

export const vertexHeaders = ({ credential }: VertexCall): Record<string, string> => ({
  authorization: `Bearer ${credential?.token ?? ''}`,
  'content-type': 'application/json',
})

/** Fixed instead of taken from the key's JSON, so that a key cannot redirect where it is sent. */
const TOKEN_URL = 'https://oauth2.googleapis.com/token'
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const LIFE_SECONDS = 3_600

interface ServiceAccount {
  readonly project: string
  readonly email: string
  readonly keyId: string
  readonly privateKey: string
}

/** Throws a GatewayError `upstream_failed` for a key that is not a service account's JSON. */
function readServiceAccount(key: string): ServiceAccount {
  const json = asObject(parseJson(key))
  const [project, email, privateKey] = [json.project_id, json.client_email, json.private_key].map(asString)
  if (!project || !email || !privateKey)
    throw new GatewayError('upstream_failed', {
      zh: '渠道密钥须为服务账号的 JSON，其中包含 project_id、client_email 和 private_key',
      en: "the channel's key must be the JSON of a service account with project_id, client_email and private_key",
    })
  return { project, email, privateKey, keyId: asString(json.private_key_id) ?? '' }
}

/**
 * Trades a signed claim for an access token. Throws a GatewayError, with status 401 where Google rejects the key.
 * Source: developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export async function askForToken({ key }: ChannelView, io: ProviderIo): Promise<Credential> {
  const account = readServiceAccount(key)
  const form = new URLSearchParams({ grant_type: GRANT, assertion: toAssertion(account, io.nowSeconds) })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, json } = await io.send({ url: TOKEN_URL, headers, body: form.toString() })
  const { access_token, expires_in, error_description } = asObject(json)
  const token = asString(access_token)
  if (token) return { token, expiresAt: io.nowSeconds + (asCount(expires_in) || LIFE_SECONDS) }
  const isRejected = status === 400 || status === 401
  throw new GatewayError(
    'upstream_failed',
    noTokenFailure('Google', asString(error_description), status),
    isRejected ? { status: 401 } : {},
  )
}

function toAssertion(account: ServiceAccount, nowSeconds: number): string {
  const header = { alg: 'RS256', typ: 'JWT', kid: account.keyId }
  const claims = {
    iss: account.email,
    scope: SCOPE,
    aud: TOKEN_URL,
    iat: nowSeconds,
    exp: nowSeconds + LIFE_SECONDS,
  }
  const pem = account.privateKey.replaceAll('\\n', '\n')
  try {
    return signJwt(header, claims, text => createSign('RSA-SHA256').update(text).sign(pem))
  } catch (cause) {
    const reason = errorMessage(cause)
    const text = {
      zh: `渠道密钥中的 private_key 无法用于签名：${reason}`,
      en: `the private_key in the channel's key cannot sign: ${reason}`,
    }
    throw new GatewayError('upstream_failed', text, { cause })
  }
}
