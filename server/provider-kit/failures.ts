import { GatewayError } from '../core/errors.ts'
import type { JsonObject } from './contract/chat.ts'
import type { Failure, OperationAdapter, ResponseHeaders } from './contract/operation-adapter.ts'
import { asArray, asObject, asString, isObject, parseJson } from './json.ts'

/** Codes and types by which vendors of many kinds say that a key will not work again. */
const REVOKED_KEY_SIGNS: ReadonlySet<string> = new Set([
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
const REVOKED_KEY_STATUSES: ReadonlySet<number> = new Set([401, 402])

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
export function readAdapterFailure(
  adapter: Pick<OperationAdapter<never, unknown>, 'failure'>,
  status: number,
  body: string,
  headers: ResponseHeaders,
): Failure {
  return adapter.failure ? adapter.failure(status, body, headers) : readFailure(status, body, headers)
}

/** Reads the error shapes that vendors share. A body that is none of them is not shown: it may be a page of HTML. */
export function readFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const json = unwrap(parseJson(body))
  return { ...readErrorJson(status, json), retryAfterSeconds: readRetryAfter(headers) }
}

/** As `readFailure`, for an error that came inside a good answer or a stream. */
export function readEmbeddedFailure(json: unknown): Failure {
  const error = asObject(asObject(unwrap(json)).error)
  const named = STATUS_OF_TYPE[wordOf(error.code) ?? ''] ?? STATUS_OF_TYPE[wordOf(error.type) ?? '']
  return readErrorJson(
    named ?? statusNumber(error.code) ?? STATUS_UNKNOWN,
    unwrap(json),
    'the answer has not the expected shape',
  )
}

/** An event that cannot be read: the stream is broken from here on. */
export const invalidJsonFailure = (): Failure => ({
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
    isKeyRevoked:
      REVOKED_KEY_STATUSES.has(status) || REVOKED_KEY_SIGNS.has(code) || REVOKED_KEY_SIGNS.has(type),
  }
}

/** Some vendors wrap the object in a list. */
const unwrap = (json: unknown): unknown => (Array.isArray(json) ? json[0] : json)

const wordOf = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value)
  return maskedText(value) || undefined
}

const maskedText = (value: unknown): string | undefined => {
  const text = asString(value)
  return text && maskSecrets(text)
}

const statusNumber = (code: unknown): number | undefined => {
  const status = Number(code)
  return status >= 400 && status < 600 ? status : undefined
}

/** The places where vendors put the sentence, in the order in which they are believed. */
const MESSAGE_PLACES: readonly ((json: JsonObject) => unknown)[] = [
  json => asObject(json.error).message,
  json => json.error,
  json => json.message,
  json => joinMessages(asObject(json.message).detail),
  json => json.detail,
  json => joinMessages(json.detail),
  json => asObject(asArray(json.errors)[0]).message,
  json => json.msg,
  json => json.err,
  json => json.error_msg,
  json => json.error_description,
  json => asObject(json.header).message,
  json => asObject(asObject(json.response).error).message,
]

function messageIn(json: unknown): string | undefined {
  if (typeof json === 'string') return json || undefined
  if (!isObject(json)) return undefined
  for (const place of MESSAGE_PLACES) {
    const message = asString(place(json))?.trim()
    if (message) return message
  }
  return undefined
}

const joinMessages = (details: unknown): string =>
  asArray(details)
    .map(detail => asString(asObject(detail).msg) ?? '')
    .filter(Boolean)
    .join('; ')

const ADDRESS = /\b(?:https?|wss?|socks5?):\/\/[^\s"'<>)\]]+/gi
const IP_ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g
/** As it stands before a port. */
const IPV6_ADDRESS = /\[(?=[^\]]{0,45}:)[\da-f:.]{2,45}(?:%\w{1,16})?\](?::\d+)?/gi
const KEY =
  /\b(?:sk|xai|pplx)-[\w*-]{6,}|\b(?:gsk|r8|jina|pat)_[\w*]{6,}|\bapp-\w{20,}|\bAIza[\w*-]{6,}|\bBearer\s+\S+/g
/** Of an address whose beginning is missing. A few vendors read a token from there. */
const PARAMETER = /\b(access_token|client_id|client_secret|authorization|signature|key)=[^&\s"'<>]+/gi
const MESSAGE_CHARS_MAX = 4_000

/** An upstream's sentence without what a client must not learn: addresses and keys. Cut where it is very long. */
export const maskSecrets = (message: string): string =>
  message
    .slice(0, MESSAGE_CHARS_MAX)
    .replace(ADDRESS, '[address]')
    .replace(IP_ADDRESS, '[address]')
    .replace(IPV6_ADDRESS, '[address]')
    .replace(KEY, '[key]')
    .replace(PARAMETER, '$1=[key]')

const RETRY_AFTER_SECONDS_MAX = 86_400

/**
 * Seconds that an answer asks to wait, from `retry-after-ms` or `retry-after`. A date counts from the answer's own
 * `date`, so that no clock is needed. Undefined when it does not say, or says nonsense.
 */
export function readRetryAfter(headers: ResponseHeaders): number | undefined {
  const ms = headers.get('retry-after-ms')
  if (ms !== null) return inRange(Number(ms) / 1000)
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return inRange(Number(text))
  return inRange((Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1000)
}

const inRange = (seconds: number): number | undefined =>
  seconds >= 0 ? Math.min(Math.ceil(seconds), RETRY_AFTER_SECONDS_MAX) : undefined

interface IoResponse {
  readonly status: number
  readonly json: unknown
}

/** Throws a GatewayError `upstream_failed` with the vendor's sentence, where it has one, and its status where that is an error's. */
export function upstreamFailed(what: string, { status, json }: IoResponse): never {
  const detail = isObject(json) ? `: ${readFailure(status, JSON.stringify(json), new Headers()).message}` : ''
  throw new GatewayError('upstream_failed', `the vendor ${what}${detail}`, status >= 400 ? { status } : {})
}

/** Mistral and OpenRouter say `error`, Zhipu `network_error`. */
const INTERRUPTED: ReadonlySet<unknown> = new Set(['error', 'network_error'])

/** The failure of an answer that a vendor gave up, which it says as the reason why it finished. */
export function readInterruptedFailure({ choices }: JsonObject): Failure | undefined {
  const interrupted = asArray(choices).find(choice => INTERRUPTED.has(asObject(choice).finish_reason))
  if (!interrupted) return undefined
  return {
    status: 502,
    code: asString(asObject(interrupted).finish_reason) ?? '',
    message: 'the vendor broke the answer off',
    type: 'upstream_error',
  }
}

/** How one vendor says that a key will not work again, beyond the words that many share. */
export interface RevokedKeySigns {
  /** Codes and types of errors. */
  readonly codes?: readonly string[]
  /** What the sentence says, where the code says nothing. */
  readonly message?: RegExp
}

/** Reads the common error shapes, and knows these signs. A dead key is worth another channel, whatever the status. */
export const createFailureReader =
  ({ codes = [], message }: RevokedKeySigns) =>
  (status: number, body: string, headers: ResponseHeaders): Failure => {
    const failure = readFailure(status, body, headers)
    const { code } = asObject(parseJson(body))
    const detail = [failure.code, failure.type, String(code)]
    const isRevoked = codes.some(sign => detail.includes(sign)) || message?.test(failure.message)
    return isRevoked ? { ...failure, isKeyRevoked: true, isRetryable: true } : failure
  }
