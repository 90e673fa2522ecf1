import type { Failure, ResponseHeaders } from '../../provider-kit/contract/operation-adapter.ts'
import { maskSecrets, readFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'

/** What Coze's codes mean as a status. Source: coze.com/docs/developer_guides/coze_error_codes */
const STATUS_OF: Readonly<Record<number, number>> = {
  4000: 400,
  4008: 402,
  4009: 429,
  4011: 402,
  4013: 429,
  4015: 404,
  4016: 429,
  4027: 402,
  4028: 402,
  4100: 401,
  4101: 403,
  4200: 404,
  5000: 500,
  700012006: 401,
}
const STATUS_UNKNOWN = 502
const DEAD_KEY_STATUSES: ReadonlySet<number> = new Set([401, 402])

/** Most errors come with status 200. */
export function readCozeFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  return readCozeError(parseJson(body)) ?? readFailure(status, body, headers)
}

/** Undefined for what is no error of Coze's. */
export function readCozeError(json: unknown): Failure | undefined {
  const number = asCount(asObject(json).code)
  if (!isObject(json) || number === 0) return undefined
  const code = String(number)
  const status = STATUS_OF[number] ?? STATUS_UNKNOWN
  const message = maskSecrets(asString(json.msg) || `error ${code}`)
  return { status, code, message, type: 'upstream_error', isKeyRevoked: DEAD_KEY_STATUSES.has(status) }
}
