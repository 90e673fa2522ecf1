import type { Failure, ResponseHeaders } from '../../provider-kit/contract/operation-adapter.ts'
import { readFailure } from '../../provider-kit/failures.ts'
import { asObject, asString, parseJson } from '../../provider-kit/json.ts'

const BAD_KEY = /API key (?:not valid|expired)/

/** A bad key comes as a 400 that says so in its sentence only. */
export function readPalmFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const code = asString(asObject(asObject(parseJson(body)).error).status) ?? failure.code
  const isKeyRevoked = BAD_KEY.test(failure.message) || status === 403 || failure.isKeyRevoked
  return { ...failure, code, isKeyRevoked, isRetryable: isKeyRevoked || undefined }
}
