import type { AnswerHeaders } from './answer-headers.ts'
import type { JsonObject } from './chat.ts'
import type { Exchange } from './exchange.ts'
import type { Failure } from './failure.ts'
import { isObject, listOf, objectOf, parseJson, textOf } from './json.ts'
import { maskSecrets } from './mask-secrets.ts'
import { readRetryAfter } from './retry-after.ts'

/** Codes and types by which vendors of many kinds say that a key will not work again. */
const DEAD_KEY_SIGNS: ReadonlySet<string> = new Set([
  'invalid_api_key',
  'account_deactivated',
  'billing_not_active',
  'insufficient_quota',
  'insufficient_user_quota',
  'authentication_error',
  'permission_error',
  'billing_error',
  'forbidden',
])
const DEAD_KEY_STATUSES: ReadonlySet<number> = new Set([401, 402])

/** The status that an error type means, where it comes without one: in a stream, or inside a 200. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  insufficient_quota: 429,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}
const STATUS_UNKNOWN = 502

/** What an answer with a bad status means: as the vendor reads it, else by the common shapes. */
export function failureOf(
  exchange: Pick<Exchange<never, unknown>, 'failure'>,
  status: number,
  body: string,
  headers: AnswerHeaders,
): Failure {
  return exchange.failure ? exchange.failure(status, body, headers) : readFailure(status, body, headers)
}

/** Reads the error shapes that vendors share. A body that is none of them is not shown: it may be a page of HTML. */
export function readFailure(status: number, body: string, headers: AnswerHeaders): Failure {
  const json = unwrap(parseJson(body))
  return { ...readErrorJson(status, json), retryAfterSeconds: readRetryAfter(headers) }
}

/** As `readFailure`, for an error that came inside a good answer or a stream. */
export function readHiddenFailure(json: unknown): Failure {
  const error = objectOf(objectOf(unwrap(json)).error)
  const named = STATUS_OF_TYPE[wordOf(error.code) ?? ''] ?? STATUS_OF_TYPE[wordOf(error.type) ?? '']
  return readErrorJson(
    named ?? statusNumber(error.code) ?? STATUS_UNKNOWN,
    unwrap(json),
    'the answer has not the expected shape',
  )
}

/** An event that cannot be read: the stream is broken from here on. */
export const notJsonFailure = (): Failure => ({
  status: STATUS_UNKNOWN,
  code: 'upstream_bad_answer',
  message: 'the stream holds an event that is not JSON',
  type: 'upstream_error',
})

function readErrorJson(
  status: number,
  json: unknown,
  unnamed = `bad response status code ${status}`,
): Failure {
  const error = isObject(json) && isObject(json.error) ? json.error : undefined
  const code = wordOf(error?.code) ?? wordOf(error?.type) ?? 'bad_response_status_code'
  const type = wordOf(error?.type) ?? 'upstream_error'
  return {
    status,
    code,
    type,
    message: maskSecrets(messageIn(json) ?? unnamed),
    param: error ? maskedText(error.param) : String(status),
    isKeyDead: DEAD_KEY_STATUSES.has(status) || DEAD_KEY_SIGNS.has(code) || DEAD_KEY_SIGNS.has(type),
  }
}

/** Some vendors wrap the object in a list. */
const unwrap = (json: unknown): unknown => (Array.isArray(json) ? json[0] : json)

const wordOf = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value)
  return maskedText(value) || undefined
}

const maskedText = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text && maskSecrets(text)
}

const statusNumber = (code: unknown): number | undefined => {
  const status = Number(code)
  return status >= 400 && status < 600 ? status : undefined
}

/** The places where vendors put the sentence, in the order in which they are believed. */
const MESSAGE_PLACES: readonly ((json: JsonObject) => unknown)[] = [
  json => objectOf(json.error).message,
  json => json.error,
  json => json.message,
  json => joinMessages(objectOf(json.message).detail),
  json => json.detail,
  json => joinMessages(json.detail),
  json => objectOf(listOf(json.errors)[0]).message,
  json => json.msg,
  json => json.err,
  json => json.error_msg,
  json => json.error_description,
  json => objectOf(json.header).message,
  json => objectOf(objectOf(json.response).error).message,
]

function messageIn(json: unknown): string | undefined {
  if (typeof json === 'string') return json || undefined
  if (!isObject(json)) return undefined
  for (const place of MESSAGE_PLACES) {
    const message = textOf(place(json))?.trim()
    if (message) return message
  }
  return undefined
}

const joinMessages = (details: unknown): string =>
  listOf(details)
    .map(detail => textOf(objectOf(detail).msg) ?? '')
    .filter(Boolean)
    .join('; ')
