import { type ClientError, toOpenaiError } from '../../provider-kit/contract/client-dialect.ts'
import { type ErrorKind, readErrorKind } from '../../provider-kit/error-kind.ts'
import { asObject, type JsonObject } from '../../provider-kit/json.ts'

const INSUFFICIENT_QUOTA = 'insufficient_quota'
const TOO_MANY_REQUESTS = 429
const SERVER_ERROR = 500

const isBudgetSpent = (error: ClientError): boolean => readErrorKind(error) === 'spent budget'

/** Codex repeats its request after 401, 402 and 403, and ends its run at OpenAI's own answer to a spent budget. */
export const errorStatus = (error: ClientError): number =>
  isBudgetSpent(error) ? TOO_MANY_REQUESTS : error.status

/** Source: platform.openai.com/docs/guides/error-codes */
export function writeError(error: ClientError, requestId: string): JsonObject {
  const json = toOpenaiError(error, requestId)
  if (!isBudgetSpent(error)) return json
  return { error: { ...asObject(json.error), type: INSUFFICIENT_QUOTA, code: INSUFFICIENT_QUOTA } }
}

/** Codes that clients act on. They treat any other code as one that a retry may solve, like `server_error`. */
const KNOWN_ERROR_CODES: ReadonlySet<string> = new Set([
  'server_error',
  'rate_limit_exceeded',
  'invalid_prompt',
  'context_length_exceeded',
  INSUFFICIENT_QUOTA,
])

/** Codex compacts at the first, and stops at the second. */
const CODE_OF_KIND: Partial<Record<ErrorKind, string>> = {
  'context overflow': 'context_length_exceeded',
  'spent budget': INSUFFICIENT_QUOTA,
}

/** The code of a response that failed. */
export function toResponseErrorCode(error: ClientError): string {
  const { status, code } = error
  const kind = readErrorKind(error)
  const known = kind && CODE_OF_KIND[kind]
  if (known) return known
  if (KNOWN_ERROR_CODES.has(code)) return code
  if (status === TOO_MANY_REQUESTS) return 'rate_limit_exceeded'
  return status < SERVER_ERROR ? 'invalid_prompt' : 'server_error'
}
