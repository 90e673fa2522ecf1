import { GatewayError } from '../core/errors.ts'
import { type BothLanguages, type LocalizedMessage, ownMessage, textsOf } from '../core/language.ts'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from './json.ts'

/** Read access to the headers of a provider's response. */
export interface ResponseHeaders {
  /** `name` is in lower case. Repeated headers are joined by a comma; null when there is none. */
  get(name: string): string | null
}

/**
 * An upstream error in a provider-neutral form, so that the relay can decide about retries without knowing the provider.
 */
export interface Failure extends LocalizedMessage {
  /** The HTTP status to report. Where a provider hides an error in a 200, the status that matches the error. */
  readonly status: number
  /** The provider's own code or type where it has one, else one of the gateway's. */
  readonly code: string
  /** Free of keys and addresses. In English where it is ours. */
  readonly message: string
  /** The provider's error type, forwarded to clients of the OpenAI dialect. */
  readonly type?: string | undefined
  readonly param?: string | undefined
  /** Whether another channel may succeed, where the body tells more about that than the status. */
  readonly isRetryable?: boolean | undefined
  /** The key is revoked, unpaid or banned, which is a reason to disable the channel. */
  readonly isKeyRevoked?: boolean | undefined
  /**
   * The connection closed before response headers arrived, for example an idle connection that the provider had closed.
   */
  readonly isConnectionLost?: boolean | undefined
  /** How many seconds to wait according to the provider. */
  readonly retryAfterSeconds?: number | undefined
  /** A quota of the day is spent, whatever the provider says of waiting. */
  readonly isDailyQuota?: boolean | undefined
}

/** Error codes and types by which many providers say that a key is permanently unusable. */
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

/** The status for an error type that comes without one: in a stream, or inside a 200. */
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

/** Reads a response with an error status with the adapter's own reader, else as one of the common error shapes. */
export function readAdapterFailure(
  adapter: { failure?: typeof readFailure },
  status: number,
  body: string,
  headers: ResponseHeaders,
): Failure {
  return adapter.failure ? adapter.failure(status, body, headers) : readFailure(status, body, headers)
}

/** Reads the error shapes that providers share. Other bodies, such as HTML pages, are not shown. */
export function readFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const json = unwrap(parseJson(body))
  return { ...readErrorJson(status, json), retryAfterSeconds: readRetryAfter(headers) }
}

/** Reads an error inside a successful response or a stream, where the status tells nothing. */
export function readEmbeddedFailure(json: unknown): Failure {
  const error = asObject(asObject(unwrap(json)).error)
  const named = STATUS_OF_TYPE[readWord(error.code) ?? ''] ?? STATUS_OF_TYPE[readWord(error.type) ?? '']
  return readErrorJson(named ?? toErrorStatus(error.code) ?? STATUS_UNKNOWN, unwrap(json), {
    zh: '上游响应的格式不符合预期',
    en: 'the response does not have the expected shape',
  })
}

/** The failure for an event that is not JSON. The rest of the stream is unusable. */
export const invalidJsonFailure = (): Failure => ({
  status: STATUS_UNKNOWN,
  code: 'upstream_bad_answer',
  ...ownMessage({
    zh: '上游的流式响应中有不是 JSON 的事件',
    en: 'the stream contains an event that is not JSON',
  }),
  type: 'upstream_error',
})

function readErrorJson(
  status: number,
  json: unknown,
  unnamed: BothLanguages = {
    zh: `上游返回错误状态码 ${status}`,
    en: `bad response status code ${status}`,
  },
): Failure {
  const message = readMessage(json)
  const error = isObject(json) && isObject(json.error) ? json.error : undefined
  const code = readWord(error?.code) ?? readWord(error?.type) ?? 'bad_response_status_code'
  const type = readWord(error?.type) ?? 'upstream_error'
  return {
    status,
    code,
    type,
    ...(message === undefined ? ownMessage(unnamed) : { message: maskSecrets(message) }),
    param: error ? maskedText(error.param) : String(status),
    isKeyRevoked:
      REVOKED_KEY_STATUSES.has(status) || REVOKED_KEY_SIGNS.has(code) || REVOKED_KEY_SIGNS.has(type),
  }
}

/** Some providers wrap the error in a list. */
const unwrap = (json: unknown): unknown => (Array.isArray(json) ? json[0] : json)

const readWord = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value)
  return maskedText(value) || undefined
}

const maskedText = (value: unknown): string | undefined => {
  const text = asString(value)
  return text && maskSecrets(text)
}

const toErrorStatus = (code: unknown): number | undefined => {
  const status = Number(code)
  return status >= 400 && status < 600 ? status : undefined
}

/** Where providers put the message, in order of precedence. */
const MESSAGE_READERS: readonly ((json: JsonObject) => unknown)[] = [
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

function readMessage(json: unknown): string | undefined {
  if (typeof json === 'string') return json || undefined
  if (!isObject(json)) return undefined
  for (const place of MESSAGE_READERS) {
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
/** An IPv6 address in brackets, as in a URL. */
const IPV6_ADDRESS = /\[(?=[^\]]{0,45}:)[\da-f:.]{2,45}(?:%\w{1,16})?\](?::\d+)?/gi
const KEY =
  /\b(?:sk|xai|pplx)-[\w*-]{6,}|\b(?:gsk|r8|jina|pat)_[\w*]{6,}|\bapp-\w{20,}|\bAIza[\w*-]{6,}|\bBearer\s+\S+/g
/** Query parameters of a URL whose beginning was cut off. A few providers read a token from there. */
const PARAMETER = /\b(access_token|client_id|client_secret|authorization|signature|key)=[^&\s"'<>]+/gi
const MESSAGE_CHARS_MAX = 4_000

/** Masks addresses and keys in an upstream's message and truncates it to 4,000 characters. */
export const maskSecrets = (message: string): string =>
  message
    .slice(0, MESSAGE_CHARS_MAX)
    .replace(ADDRESS, '[address]')
    .replace(IP_ADDRESS, '[address]')
    .replace(IPV6_ADDRESS, '[address]')
    .replace(KEY, '[key]')
    .replace(PARAMETER, '$1=[key]')

/** Subscriptions have limits of a week. */
const RETRY_AFTER_SECONDS_MAX = 7 * 86_400

/**
 * The delay in seconds from `retry-after-ms` or `retry-after`. A date is relative to the response's own `date`, so no
 * clock is needed. Undefined when absent or malformed.
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

/**
 * Throws a GatewayError `upstream_failed` with the provider's message where there is one, and its status where it is an
 * error status.
 */
export function upstreamFailed(what: BothLanguages, { status, json }: IoResponse): never {
  const failure = isObject(json) ? readFailure(status, JSON.stringify(json), new Headers()) : undefined
  const detail = failure && textsOf(failure)
  throw new GatewayError(
    'upstream_failed',
    {
      zh: `供应商${what.zh}${detail ? `：${detail.zh}` : ''}`,
      en: `the provider ${what.en}${detail ? `: ${detail.en}` : ''}`,
    },
    status >= 400 ? { status } : {},
  )
}

/** The error for a channel whose key does not have the provider's form. */
export const invalidKeyFormat = (format: string): GatewayError =>
  new GatewayError('upstream_failed', {
    zh: `渠道密钥的格式须为 ${format}`,
    en: `the channel's key must have the form ${format}`,
  })

/** The error for a key that the provider gave no token for. */
export function noTokenFailure(provider: string, reason: string | undefined, status: number): BothLanguages {
  return {
    zh: `${provider} 没有返回访问令牌：${reason ?? `状态码 ${status}`}`,
    en: `${provider} returned no access token: ${reason ?? `status ${status}`}`,
  }
}

/** How one provider marks a key as permanently unusable, beyond the common codes. */
export interface RevokedKeySigns {
  /** Error codes and types. */
  readonly codes?: readonly string[]
  /** Matches the message, where the code is not specific. */
  readonly message?: RegExp
}

/**
 * A failure reader that also knows the given signs. A revoked key is retried on another channel, with any status.
 */
export const createFailureReader =
  ({ codes = [], message }: RevokedKeySigns) =>
  (status: number, body: string, headers: ResponseHeaders): Failure => {
    const failure = readFailure(status, body, headers)
    const { code } = asObject(parseJson(body))
    const words = [failure.code, failure.type, String(code)]
    const isRevoked = codes.some(sign => words.includes(sign)) || message?.test(failure.message)
    return isRevoked ? { ...failure, isKeyRevoked: true, isRetryable: true } : failure
  }
