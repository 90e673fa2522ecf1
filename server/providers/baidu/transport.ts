import { GatewayError } from '../../core/errors.ts'
import type {
  AdapterCall,
  ChannelView,
  Credential,
  ProviderIo,
} from '../../provider-kit/contract/operation-adapter.ts'
import {
  type Failure,
  invalidKeyFormat,
  maskSecrets,
  noTokenFailure,
  type ResponseHeaders,
  readFailure,
} from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'

/** Models whose path is not their lower-case name. Source: cloud.baidu.com/doc/WENXINWORKSHOP/s/Nlks5zkzu */
const PATH_OF: Readonly<Record<string, string>> = {
  'ERNIE-4.0': 'chat/completions_pro',
  'ERNIE-4.0-8K': 'chat/completions_pro',
  'ERNIE-Bot-4': 'chat/completions_pro',
  'ERNIE-3.5-8K': 'chat/completions',
  'ERNIE-Bot': 'chat/completions',
  'ERNIE-Bot-turbo': 'chat/eb-instant',
  'ERNIE-Lite-8K-0922': 'chat/eb-instant',
  'ERNIE-Speed': 'chat/ernie_speed',
  'ERNIE-Speed-8K': 'chat/ernie_speed',
  'ERNIE-Lite-8K-0308': 'chat/ernie-lite-8k',
  'ERNIE-Bot-8K': 'chat/ernie_bot_8k',
  'BLOOMZ-7B': 'chat/bloomz_7b1',
  'Embedding-V1': 'embeddings/embedding-v1',
  'bge-large-zh': 'embeddings/bge_large_zh',
  'bge-large-en': 'embeddings/bge_large_en',
  'tao-8k': 'embeddings/tao_8k',
}

/** Baidu reads the access token from the URL only. It is not the key and expires by itself. */
export function wenxinUrl({ channel, model, credential }: AdapterCall<unknown>): string {
  const path = PATH_OF[model] ?? `chat/${encodeURIComponent(model.toLowerCase())}`
  const token = encodeURIComponent(credential?.token ?? '')
  return `${channel.baseUrl}/rpc/2.0/ai_custom/v1/wenxinworkshop/${path}?access_token=${token}`
}

export const JSON_HEADERS: Readonly<Record<string, string>> = { 'content-type': 'application/json' }

const STATUS_OF: Readonly<Record<string, number>> = {
  4: 429,
  6: 403,
  17: 429,
  18: 429,
  19: 429,
  110: 401,
  111: 401,
  336000: 500,
  336100: 503,
  336501: 429,
  336502: 429,
}
const IS_ABOUT_THE_REQUEST = /^3360\d\d$/
const STATUS_UNKNOWN = 502

/** Baidu reports every error with status 200. An expired token is renewed and does not revoke the key. */
export function readWenxinFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  return readWenxinError(parseJson(body)) ?? readFailure(status, body, headers)
}

/** Undefined for JSON that is not one of Baidu's errors. */
export function readWenxinError(json: unknown): Failure | undefined {
  const number = asCount(asObject(json).error_code)
  if (!isObject(json) || number === 0) return undefined
  const code = String(number)
  const status = STATUS_OF[code] ?? (IS_ABOUT_THE_REQUEST.test(code) ? 400 : STATUS_UNKNOWN)
  const message = maskSecrets(asString(json.error_msg) || `error ${code}`)
  return { status, code, message, type: 'upstream_error', isKeyRevoked: false }
}

const PATH = '/oauth/2.0/token'

/**
 * Trades `APIKey|SecretKey` for an access token that is valid for 30 days. Throws a GatewayError, with status 401
 * where Baidu rejects the key. Baidu reads both parts from the URL only.
 * Source: cloud.baidu.com/doc/WENXINWORKSHOP/s/Ilkkrb0i5
 */
export async function askForToken({ key, baseUrl }: ChannelView, io: ProviderIo): Promise<Credential> {
  const [id, secret] = key.split('|').map(part => part.trim())
  if (!id || !secret) throw invalidKeyFormat('APIKey|SecretKey')
  const query = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  })
  const headers = { 'content-type': 'application/json' }
  const { status, json } = await io.send({ url: `${baseUrl}${PATH}?${query}`, headers })
  const { access_token, expires_in, error_description } = asObject(json)
  const token = asString(access_token)
  const life = asCount(expires_in)
  if (token && life > 0) return { token, expiresAt: io.nowSeconds + life }
  throw new GatewayError(
    'upstream_failed',
    noTokenFailure('Baidu', asString(error_description), status),
    status === 400 || status === 401 ? { status: 401 } : {},
  )
}
