import type { AnswerHeaders } from '../answer-headers.ts'
import type { Failure } from '../failure.ts'
import { objectOf, parseJson } from '../json.ts'
import { readFailure } from '../read-failure.ts'

/** How one vendor says that a key will not work again, beyond the words that many share. */
export interface DeadKeySigns {
  /** Codes and types of errors. */
  readonly codes?: readonly string[]
  /** What the sentence says, where the code says nothing. */
  readonly message?: RegExp
}

/** Reads the common error shapes, and knows these signs. A dead key is worth another channel, whatever the status. */
export const failureReader =
  ({ codes = [], message }: DeadKeySigns) =>
  (status: number, body: string, headers: AnswerHeaders): Failure => {
    const failure = readFailure(status, body, headers)
    const { code } = objectOf(parseJson(body))
    const said = [failure.code, failure.type, String(code)]
    const isDead = codes.some(sign => said.includes(sign)) || message?.test(failure.message)
    return isDead ? { ...failure, isKeyDead: true, isRetryable: true } : failure
  }
