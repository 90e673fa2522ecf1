import type { Failure, ResponseHeaders } from '../../provider-kit/contract/operation-adapter.ts'
import { readFailure } from '../../provider-kit/failures.ts'
import { asObject, asString, parseJson } from '../../provider-kit/json.ts'

const SUSPENDED_ACCOUNT_CODES: ReadonlySet<string> = new Set([
  'Arrearage',
  'InvalidApiKey',
  'AccessDenied.Unpurchased',
])

/** Ali's own errors have their code at the top level. An unpaid account is reported as a 400. */
export function readAliFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const own = asString(asObject(parseJson(body)).code)
  const isAccountSuspended = SUSPENDED_ACCOUNT_CODES.has(own ?? failure.code)
  return {
    ...failure,
    code: own ?? failure.code,
    isKeyRevoked: isAccountSuspended || failure.isKeyRevoked,
    isRetryable: isAccountSuspended ? true : failure.isRetryable,
  }
}
