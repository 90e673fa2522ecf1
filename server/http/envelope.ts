import type { HandlerResult } from '../api/handle.ts'
import { parseRequestUrl } from '../api/request-url.ts'
import { ApiError } from '../core/api-error.ts'
import { GatewayError, STORAGE_RETRY_SECONDS } from '../core/errors.ts'
import { jsonTextResponse } from '../core/json/json.ts'
import { inLanguage, type Language, preferredLanguage } from '../core/language.ts'
import type { Logger } from '../core/logger.ts'
import { isServerLost, queryUnavailable } from '../db/engine/query-errors.ts'

const BAD_REQUEST = 400
const NOT_FOUND = 404
const INTERNAL_ERROR = 500
const internalError = {
  zh: '服务器内部错误，请联系管理员',
  en: 'internal server error; contact the administrator',
}

export const toEnvelope = ({
  data,
  meta,
  message = '',
  isSuccess = true,
}: HandlerResult<unknown, object>): Response =>
  jsonTextResponse(
    JSON.stringify({ success: isSuccess, message, ...(data !== undefined && { data }), ...meta }),
  )

/** The envelope of a thrown value. Unexpected errors are logged, and reported as an internal error without details. */
export function errorEnvelope(
  error: unknown,
  language: Language,
  context: { log: Logger; requestId: string },
): Response {
  if (error instanceof ApiError)
    return withRetryAfter(failureResponse(error.status, error.code, error.in(language), error.data), error)
  if (error instanceof GatewayError)
    return withRetryAfter(
      failureResponse(error.status, error.code, inLanguage(error, language).message),
      error,
    )
  if (isServerLost(error))
    return errorEnvelope(queryUnavailable('lost', { seconds: STORAGE_RETRY_SECONDS }), language, context)
  context.log.error('a management API request failed', { request_id: context.requestId, error })
  return failureResponse(
    INTERNAL_ERROR,
    'internal_error',
    `${internalError[language]} (request id: ${context.requestId})`,
  )
}

function withRetryAfter(
  response: Response,
  { retryAfterSeconds }: { readonly retryAfterSeconds: number | undefined },
): Response {
  if (retryAfterSeconds !== undefined) response.headers.set('retry-after', String(retryAfterSeconds))
  return response
}

const failureResponse = (status: number, code: string, message: string, data?: object): Response =>
  Response.json({ success: false, message, code, ...(data && { data }) }, { status })

/** The response to a path that does not exist. */
export function notFoundResponse({ method, url, headers }: Request): Response {
  const { pathname } = parseRequestUrl(url)
  const texts = { zh: `没有 ${method} ${pathname}`, en: `there is nothing at ${method} ${pathname}` }
  return invalidRequestResponse(NOT_FOUND, texts[preferredLanguage(headers.get('accept-language'), 'en')])
}

/** The response to a request with an impossible or repeated Host header, which a proxy in front might interpret differently. */
export function badHostResponse(): Response {
  const response = invalidRequestResponse(BAD_REQUEST, 'the Host header is not one valid host')
  response.headers.set('connection', 'close')
  return response
}

const invalidRequestResponse = (status: number, message: string): Response =>
  Response.json({ error: { message, type: 'invalid_request_error', param: '', code: '' } }, { status })

/** The language of the management API's messages; Chinese by default. */
export const apiLanguage = ({ headers }: Request): Language =>
  preferredLanguage(headers.get('accept-language'), 'zh')
