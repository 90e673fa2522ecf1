import type { AnswerHeaders } from '../answer-headers.ts'
import type { JsonObject } from '../chat.ts'
import type { Failure } from '../failure.ts'
import { listOf, objectOf, parseJson, textOf } from '../json.ts'
import { readFailure } from '../read-failure.ts'

/**
 * A bad key comes as a 400, and so does a place from which the key may not be used: both are the channel's fault.
 * Source: ai.google.dev/gemini-api/docs/troubleshooting
 */
export function readGeminiFailure(status: number, body: string, headers: AnswerHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const json = parseJson(body)
  const error = objectOf(objectOf(Array.isArray(json) ? json[0] : json).error)
  const word = textOf(error.status)
  const details = listOf(error.details).map(objectOf)
  const reason = textOf(details.find(detail => detail.reason !== undefined)?.reason)
  const isKeyDead = reason === 'API_KEY_INVALID' || status === 403 || failure.isKeyDead
  return {
    ...failure,
    code: reason ?? word ?? failure.code,
    isKeyDead,
    isRetryable: isKeyDead || word === 'FAILED_PRECONDITION' || undefined,
    retryAfterSeconds: failure.retryAfterSeconds ?? retryDelayIn(details),
  }
}

/** `RetryInfo` says it as `"37s"`. */
function retryDelayIn(details: readonly JsonObject[]): number | undefined {
  const delay = textOf(details.find(detail => detail.retryDelay !== undefined)?.retryDelay)
  const seconds = Number.parseFloat(delay ?? '')
  return Number.isFinite(seconds) ? Math.ceil(seconds) : undefined
}
