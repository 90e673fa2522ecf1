import type { ClientError } from '../../provider-kit/contract/client-dialect.ts'
import { readErrorKind } from '../../provider-kit/error-kind.ts'
import type { JsonObject } from '../../provider-kit/json.ts'

/** Error types by status. Source: docs.claude.com/en/api/errors */
const TYPE_OF_STATUS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}
const KNOWN_TYPES: ReadonlySet<string> = new Set(Object.values(TYPE_OF_STATUS))
const LEAST_SERVER_ERROR = 500

export const writeError = (error: ClientError, requestId: string): JsonObject => ({
  type: 'error',
  error: { type: toErrorType(error), message: `${toMessage(error)} (request id: ${requestId})` },
  request_id: requestId,
})

const INVALID_REQUEST = 'invalid_request_error'

/**
 * The provider's own type where Claude knows it, else the type for the status. OpenAI calls invalid requests also what has a
 * type of its own here.
 */
function toErrorType(error: ClientError): string {
  if (readErrorKind(error) === 'spent budget') return 'billing_error'
  const { type, status } = error
  if (type !== undefined && type !== INVALID_REQUEST && KNOWN_TYPES.has(type)) return type
  return TYPE_OF_STATUS[status] ?? (status < LEAST_SERVER_ERROR ? INVALID_REQUEST : 'api_error')
}

const STATUS_SPENT = 429

/** Claude Code takes 401 and 403 for a reason to sign in again. */
export const errorStatus = (error: ClientError): number =>
  readErrorKind(error) === 'spent budget' ? STATUS_SPENT : error.status

const OVERFLOW = 'prompt is too long'

/** Claude Code compacts the conversation at these words. */
const toMessage = (error: ClientError): string =>
  readErrorKind(error) === 'context overflow' && !error.message.toLowerCase().includes(OVERFLOW)
    ? `${OVERFLOW}: ${error.message}`
    : error.message

/** An error inside a stream. No event follows it. */
export const writeErrorEvent = (error: ClientError, requestId: string): string =>
  namedEvent(writeError(error, requestId))

/** One event, named after the `type` of its body. */
export const namedEvent = (body: JsonObject): string =>
  `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`
