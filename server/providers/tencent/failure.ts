import type { Failure, ResponseHeaders } from '../../provider-kit/contract/operation-adapter.ts'
import { maskSecrets, readFailure } from '../../provider-kit/failures.ts'
import { asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'

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
