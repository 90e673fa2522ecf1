import { type Failure, type ResponseHeaders, readEmbeddedFailure, readFailure } from '../failures.ts'
import { asArray, asObject, asString, type JsonObject, parseJson } from '../json.ts'

/**
 * Google reports an invalid key and a blocked region as a 400, but both are the channel's fault. Source:
 * ai.google.dev/gemini-api/docs/troubleshooting
 */
export const readGeminiFailure = (status: number, body: string, headers: ResponseHeaders): Failure =>
  withDetails(readFailure(status, body, headers), parseJson(body))

/** An error inside a successful response or a stream. */
export const readGeminiError = (json: unknown): Failure => withDetails(readEmbeddedFailure(json), json)

function withDetails(failure: Failure, json: unknown): Failure {
  const error = asObject(asObject(Array.isArray(json) ? json[0] : json).error)
  const word = asString(error.status)
  const details = asArray(error.details).map(asObject)
  const reason = asString(details.find(detail => detail.reason !== undefined)?.reason)
  const isKeyRevoked = reason === 'API_KEY_INVALID' || failure.status === 403 || failure.isKeyRevoked
  return {
    ...failure,
    code: reason ?? word ?? failure.code,
    isKeyRevoked,
    isRetryable: isKeyRevoked || word === 'FAILED_PRECONDITION' || undefined,
    retryAfterSeconds: failure.retryAfterSeconds ?? readRetryDelay(details),
    isDailyQuota: details.some(hasDailyQuota) || undefined,
  }
}

/** `RetryInfo` gives the delay as `"37s"`. */
function readRetryDelay(details: readonly JsonObject[]): number | undefined {
  const delay = asString(details.find(detail => detail.retryDelay !== undefined)?.retryDelay)
  const seconds = Number.parseFloat(delay ?? '')
  return Number.isFinite(seconds) ? Math.ceil(seconds) : undefined
}

/** `QuotaFailure` names the quota, as in `GenerateRequestsPerDayPerProjectPerModel`. */
const hasDailyQuota = ({ violations }: JsonObject): boolean =>
  asArray(violations).some(violation => /PerDay/i.test(asString(asObject(violation).quotaId) ?? ''))
