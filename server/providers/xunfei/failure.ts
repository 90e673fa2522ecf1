import type { Failure, ResponseHeaders } from '../../provider-kit/contract/operation-adapter.ts'
import { maskSecrets, readFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, parseJson } from '../../provider-kit/json.ts'

/** Statuses of error codes; the first match applies. Source: xfyun.cn/doc/spark/general_error_code.html */
const STATUS_OF: readonly (readonly [code: RegExp, status: number])[] = [
  [/^(?:10007|10008|10110|1120[1-3])$/, 429],
  [/^(?:11200|1001[56])$/, 401],
  [/^(?:10013|10014|10019|10907|10163|1000[3-5])$/, 400],
]
const STATUS_UNKNOWN = 502
/**
 * The quota is exhausted or was never granted. The two codes for an unknown application may result from a wrong
 * version in one request.
 */
const REVOKED_KEY_CODES = '11200'

/** A rejected handshake has only a status. Other errors have status 200. */
export function readSparkFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readSparkError(asObject(parseJson(body))) ?? readFailure(status, body, headers)
  return body === '' && (status === 401 || status === 403)
    ? { ...failure, message: HANDSHAKE_REJECTED }
    : failure
}

const HANDSHAKE_REJECTED =
  'the handshake was rejected: the key must be APPID|APISecret|APIKey in this order, and the clock must be right'

/** `{ code, message }` of a frame header or of an HTTP response. Undefined where the code is 0. */
export function readSparkError(json: { readonly [name: string]: unknown }): Failure | undefined {
  const number = asCount(json.code)
  if (number === 0) return undefined
  const code = String(number)
  const status = STATUS_OF.find(([pattern]) => pattern.test(code))?.[1] ?? STATUS_UNKNOWN
  const message = maskSecrets(asString(json.message) || `error ${code}`)
  return { status, code, message, type: 'upstream_error', isKeyRevoked: code === REVOKED_KEY_CODES }
}
