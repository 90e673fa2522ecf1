import type { AnswerHeaders } from '../../provider-kit/answer-headers.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import { objectOf, parseJson, textOf } from '../../provider-kit/json.ts'
import { readFailure } from '../../provider-kit/read-failure.ts'

const BAD_KEY = /API key (?:not valid|expired)/

/** A bad key comes as a 400 that says so in its sentence only. */
export function readPalmFailure(status: number, body: string, headers: AnswerHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const code = textOf(objectOf(objectOf(parseJson(body)).error).status) ?? failure.code
  const isKeyDead = BAD_KEY.test(failure.message) || status === 403 || failure.isKeyDead
  return { ...failure, code, isKeyDead, isRetryable: isKeyDead || undefined }
}
