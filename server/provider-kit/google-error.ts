import type { ClientError } from './contract/client-dialect.ts'
import { readErrorKind } from './error-kind.ts'
import type { JsonObject } from './json.ts'

/** Error words by status. Source: cloud.google.com/apis/design/errors#handling_errors */
const WORD_OF_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
}
const LEAST_SERVER_ERROR = 500

export const googleStatus = ({ status }: Pick<ClientError, 'status'>): string =>
  WORD_OF_STATUS[status] ?? (status < LEAST_SERVER_ERROR ? 'FAILED_PRECONDITION' : 'INTERNAL')

/** The error body of Google's APIs, shared by the dialects `gemini` and `interactions`. */
export const writeGoogleError = (error: ClientError, requestId: string): JsonObject => ({
  error: {
    code: error.status,
    message: `${error.message} (request id: ${requestId})`,
    status: googleStatus(error),
    ...detailsOf(error),
  },
})

const STATUS_TOO_MANY = 429
const TYPE = 'type.googleapis.com/google.rpc.'
/** Longer waits are no limits of a minute. */
const MINUTE_SECONDS = 60

/** What Google's clients read of a limit: how long to wait, and whether that is worth it. Source: google.rpc.error_details */
function detailsOf(error: ClientError): JsonObject | undefined {
  const { status, retryAfterSeconds, message, isDailyQuota } = error
  const isLimited = status === STATUS_TOO_MANY
  // What never resets is told as a limit of the day, for which no client waits.
  const isKnown = retryAfterSeconds !== undefined
  if (!isKnown && !(isLimited && readErrorKind(error) === 'spent budget')) return undefined
  const retry = { '@type': `${TYPE}RetryInfo`, retryDelay: `${retryAfterSeconds}s` }
  const period = isKnown && retryAfterSeconds <= MINUTE_SECONDS && !isDailyQuota ? 'PerMinute' : 'PerDay'
  const violation = { quotaId: `GatewayRequests${period}`, description: message }
  const quota = { '@type': `${TYPE}QuotaFailure`, violations: [violation] }
  return { details: [...(isLimited ? [quota] : []), ...(isKnown ? [retry] : [])] }
}
