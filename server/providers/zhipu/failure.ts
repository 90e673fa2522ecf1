import type { Failure, ResponseHeaders } from '../../provider-kit/contract/operation-adapter.ts'
import { maskSecrets, readFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'

/** What a code means; the first match counts. Source: open.bigmodel.cn/dev/api#error-code-v3 */
const STATUS_OF: readonly (readonly [code: RegExp, status: number])[] = [
  [/^100[0-4]$/, 401],
  [/^111[0-2]$/, 403],
  [/^1113$/, 402],
  [/^1211$/, 404],
  [/^1220$/, 403],
  [/^12\d\d$/, 400],
  [/^1301$/, 400],
  [/^130[2-5]$/, 429],
  [/^500$/, 500],
]
const STATUS_UNKNOWN = 502
const DEAD_KEY_STATUSES: ReadonlySet<number> = new Set([401, 402])

/** Errors come with any status, most of them with 200. */
export function readZhipuFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  return readZhipuError(parseJson(body)) ?? readFailure(status, body, headers)
}

/** Undefined for what is no error of Zhipu's. */
export function readZhipuError(json: unknown): Failure | undefined {
  const { success, msg } = asObject(json)
  if (!isObject(json) || success === true) return undefined
  const number = asCount(json.code)
  if (number === 0) return undefined
  const code = String(number)
  const status = STATUS_OF.find(([pattern]) => pattern.test(code))?.[1] ?? STATUS_UNKNOWN
  const message = maskSecrets(asString(msg) || `error ${code}`)
  return { status, code, message, type: 'upstream_error', isKeyRevoked: DEAD_KEY_STATUSES.has(status) }
}
