import { createHash, createHmac } from 'node:crypto'
import {
  type AdapterCall,
  stringifyBody,
  type UpstreamRequest,
} from '../../provider-kit/contract/operation-adapter.ts'
import {
  type Failure,
  invalidKeyFormat,
  maskSecrets,
  type ResponseHeaders,
  readFailure,
} from '../../provider-kit/failures.ts'
import { asObject, asString, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'

/** The host that Tencent verifies, also where a proxy in front of it changes the header. */
const HOST = 'hunyuan.tencentcloudapi.com'
const SERVICE = 'hunyuan'
const VERSION = '2023-09-01'
const SIGNED_NAMES = 'content-type;host;x-tc-action'

interface Tc3Signing {
  /** `AppId|SecretId|SecretKey`. */
  readonly key: string
  readonly action: string
  readonly nowSeconds: number
}

/**
 * The headers that sign a body with TC3-HMAC-SHA256. Throws a GatewayError `upstream_failed` for a malformed key.
 * Source: cloud.tencent.com/document/api/1729/101843
 */
export function signTc3(
  body: string | Uint8Array,
  { key, action, nowSeconds }: Tc3Signing,
): Record<string, string> {
  const [, id, secret] = key.split('|').map(part => part.trim())
  if (!id || !secret) throw invalidKeyFormat('AppId|SecretId|SecretKey')
  const headers = `content-type:application/json\nhost:${HOST}\nx-tc-action:${action.toLowerCase()}\n`
  const canonical = ['POST', '/', '', headers, SIGNED_NAMES, sha256(body)].join('\n')
  const date = new Date(nowSeconds * 1000).toISOString().slice(0, 10)
  const scope = [date, SERVICE, 'tc3_request']
  const toSign = ['TC3-HMAC-SHA256', nowSeconds, scope.join('/'), sha256(canonical)].join('\n')
  const signingKey = scope.reduce<Buffer>(hmac, Buffer.from(`TC3${secret}`))
  const signature = hmac(signingKey, toSign).toString('hex')
  return {
    'x-tc-action': action,
    'x-tc-version': VERSION,
    'x-tc-timestamp': String(nowSeconds),
    authorization: `TC3-HMAC-SHA256 Credential=${id}/${scope.join('/')}, SignedHeaders=${SIGNED_NAMES}, Signature=${signature}`,
  }
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** All actions share one URL. The final body is signed. */
export function toActionRequest(
  call: AdapterCall<unknown>,
  action: 'ChatCompletions' | 'GetEmbedding',
  body: JsonObject,
): UpstreamRequest {
  const { channel, nowSeconds } = call
  return {
    url: `${channel.baseUrl}/`,
    headers: { 'content-type': 'application/json' },
    body: stringifyBody(body, call),
    sign: sent => signTc3(sent, { key: channel.key, action, nowSeconds }),
  }
}

/** Statuses of error codes; the first match applies. Source: cloud.tencent.com/document/api/1729/101843 */
const STATUS_OF: readonly (readonly [code: RegExp, status: number])[] = [
  [/^AuthFailure/, 401],
  [/ResourcePackExhausted|Arrears/, 402],
  [/ServiceNotActivated|ServiceStop|UserUnAuthError|^UnauthorizedOperation/, 403],
  [/LimitExceeded|RequestLimit/, 429],
  [/^(?:Invalid|Missing|Unknown|Unsupported)/, 400],
  [/^InternalError/, 500],
]
const STATUS_UNKNOWN = 502
const REVOKED_KEY_STATUSES: ReadonlySet<number> = new Set([401, 402, 403])
const CONTENT_REJECTED = '4000'

/** Tencent reports every error with status 200, wrapped in `Response`. */
export function readTencentFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  return readWrappedError(parseJson(body)) ?? readFailure(status, body, headers)
}

/** A wrong clock makes a signature expire, which does not revoke the key. */
export function readWrappedError(json: unknown): Failure | undefined {
  const error = asObject(asObject(json).Response).Error
  if (!isObject(error)) return undefined
  const code = asString(error.Code) ?? 'upstream_error'
  const status = STATUS_OF.find(([pattern]) => pattern.test(code))?.[1] ?? STATUS_UNKNOWN
  return {
    status,
    code,
    type: 'upstream_error',
    message: maskSecrets(asString(error.Message) || code),
    isKeyRevoked: REVOKED_KEY_STATUSES.has(status) && !code.endsWith('SignatureExpire'),
    isRetryable: status !== 400,
  }
}

/** An error inside a stream. */
export function readErrorMessage({ Msg, Code }: { readonly [name: string]: unknown }): Failure {
  const code = String(Code ?? 'upstream_error')
  const status = code === CONTENT_REJECTED ? 400 : 500
  return { status, code, type: 'upstream_error', message: maskSecrets(asString(Msg) || `error ${code}`) }
}
