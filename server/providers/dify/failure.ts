import type { Failure, ResponseHeaders } from '../../provider-kit/contract/operation-adapter.ts'
import { maskSecrets, readFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'

/**
 * Errors with status 400 that are the application's fault, not the request's. Source: docs.dify.ai/api-reference,
 * "Errors"
 */
const FAULTS_OF_THE_APP: ReadonlySet<string> = new Set([
  'app_unavailable',
  'not_chat_app',
  'not_workflow_app',
  'provider_not_initialize',
  'provider_quota_exceeded',
  'model_currently_not_support',
])
const SPENT = 'provider_quota_exceeded'
const STATUS_UNKNOWN = 502

export function readDifyFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const json = parseJson(body)
  return isDifyError(json) ? { ...failure, ...readDifyError({ ...json, status }) } : failure
}

const isDifyError = (json: unknown): json is Readonly<Record<string, unknown>> =>
  isObject(json) && asString(json.code) !== undefined

/** `{ code, message, status }`, as a response of its own or as an event of a stream. */
export function readDifyError(json: unknown): Failure {
  const { status, code, message } = asObject(json)
  const word = asString(code) || 'upstream_error'
  const number = asCount(status) >= 400 ? asCount(status) : STATUS_UNKNOWN
  return {
    status: number,
    code: word,
    type: 'upstream_error',
    message: maskSecrets(asString(message) || word),
    isKeyRevoked: number === 401 || word === SPENT,
    ...(FAULTS_OF_THE_APP.has(word) && { isRetryable: true }),
  }
}
