import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { Failure, ResponseHeaders } from '../../provider-kit/contract/operation-adapter.ts'
import { maskSecrets, readFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, parseJson } from '../../provider-kit/json.ts'

/** Statuses of MiniMax's own codes. Source: platform.minimaxi.com/document/error-code */
const STATUS_OF: Readonly<Record<number, number>> = {
  1000: 500,
  1001: 504,
  1002: 429,
  1004: 401,
  1008: 402,
  1013: 500,
  1026: 400,
  1027: 400,
  1033: 500,
  1039: 429,
  2013: 400,
  2049: 401,
  2056: 429,
  2061: 403,
}
const STATUS_UNKNOWN = 502
const REVOKED_KEY_STATUSES: ReadonlySet<number> = new Set([401, 402])

/** Errors are inside a 200, as a non-zero code in `base_resp`. */
export function readBaseFailure(json: JsonObject): Failure | undefined {
  const { status_code, status_msg } = asObject(json.base_resp)
  const code = asCount(status_code)
  if (code === 0) return undefined
  const status = STATUS_OF[code] ?? STATUS_UNKNOWN
  return {
    status,
    code: String(code),
    type: 'upstream_error',
    message: maskSecrets(asString(status_msg) || `MiniMax returned the code ${code}`),
    isKeyRevoked: REVOKED_KEY_STATUSES.has(status),
  }
}

/** As `readBaseFailure`, for a response text; else the common error shapes. */
export const readAnyFailure = (status: number, body: string, headers: ResponseHeaders): Failure =>
  readBaseFailure(asObject(parseJson(body))) ?? readFailure(status, body, headers)
