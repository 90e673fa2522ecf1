import type { AnswerHeaders } from '../../provider-kit/answer-headers.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import { objectOf, parseJson, textOf } from '../../provider-kit/json.ts'
import { readFailure } from '../../provider-kit/read-failure.ts'

const DEAD_ACCOUNT_SIGNS: ReadonlySet<string> = new Set([
  'Arrearage',
  'InvalidApiKey',
  'AccessDenied.Unpurchased',
])

/** Errors of Ali's own have their code at the top; an unpaid account comes as a 400. */
export function readAliFailure(status: number, body: string, headers: AnswerHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const own = textOf(objectOf(parseJson(body)).code)
  const isDead = DEAD_ACCOUNT_SIGNS.has(own ?? failure.code)
  return {
    ...failure,
    code: own ?? failure.code,
    isKeyDead: isDead || failure.isKeyDead,
    isRetryable: isDead ? true : failure.isRetryable,
  }
}
