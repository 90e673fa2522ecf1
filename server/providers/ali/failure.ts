import type { Failure, ResponseHeaders } from '../../provider-kit/contract/operation-adapter.ts'
import { readFailure } from '../../provider-kit/failures.ts'
import { asObject, asString, parseJson } from '../../provider-kit/json.ts'

const DEAD_ACCOUNT_SIGNS: ReadonlySet<string> = new Set([
  'Arrearage',
  'InvalidApiKey',
  'AccessDenied.Unpurchased',
])

/** Errors of Ali's own have their code at the top; an unpaid account comes as a 400. */
export function readAliFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const own = asString(asObject(parseJson(body)).code)
  const isDead = DEAD_ACCOUNT_SIGNS.has(own ?? failure.code)
  return {
    ...failure,
    code: own ?? failure.code,
    isKeyRevoked: isDead || failure.isKeyRevoked,
    isRetryable: isDead ? true : failure.isRetryable,
  }
}
