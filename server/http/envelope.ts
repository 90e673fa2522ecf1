import type { HandlerResult } from '../api/handle.ts'
import { GatewayError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { type Language, ApiError } from '../core/api-error.ts'
import { requestAddress } from '../relay/request/request-url.ts'

const BAD_REQUEST = 400
const NOT_FOUND = 404
const INTERNAL_ERROR = 500
const internalError = { zh: '服务器内部错误，请联系管理员', en: 'internal error, contact the administrator' }

export const envelope = ({
  data,
  meta,
  message = '',
  isSuccess = true,
}: HandlerResult<unknown, object>): Response =>
  Response.json({ success: isSuccess, message, ...(data !== undefined && { data }), ...meta })

/** The envelope of whatever was thrown. What nobody foresaw is logged and told as no more than an internal error. */
export function errorEnvelope(
  error: unknown,
  language: Language,
  told: { log: Logger; requestId: string },
): Response {
  if (error instanceof ApiError) return refusalOf(error, language)
  if (error instanceof GatewayError) return failure(error.status, error.code, error.message)
  told.log.error('a management call failed', { request_id: told.requestId, error })
  return failure(
    INTERNAL_ERROR,
    'internal_error',
    `${internalError[language]} (request id: ${told.requestId})`,
  )
}

function refusalOf(refusal: ApiError, language: Language): Response {
  const response = failure(refusal.status, refusal.code, refusal.in(language))
  const { retryAfterSeconds } = refusal
  if (retryAfterSeconds !== undefined) response.headers.set('retry-after', String(retryAfterSeconds))
  return response
}

const failure = (status: number, code: string, message: string): Response =>
  Response.json({ success: false, message, code }, { status })

/** The answer to an address that nothing stands at. */
export const notFound = ({ method, url }: Request): Response =>
  addressFault(NOT_FOUND, `there is nothing at ${method} ${requestAddress(url).pathname}`)

/** The answer to a request whose host nobody can have: who passes it on may read it otherwise. */
export const badHost = (): Response =>
  addressFault(BAD_REQUEST, 'the header Host names no host that there can be')

const addressFault = (status: number, message: string): Response =>
  Response.json({ error: { message, type: 'invalid_request_error', param: '', code: '' } }, { status })
