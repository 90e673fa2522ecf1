import { GatewayError } from '../../core/errors.ts'
import { inLanguage, type Language } from '../../core/language.ts'
import type { Logger } from '../../core/logger.ts'
import type { ClientDialect } from '../../provider-kit/contract/client-dialect.ts'
import { AttemptsFailed, toClientError } from '../routing/attempts.ts'

/** Renders an error in the client's dialect and language. A bug is logged with the request id. */
export function errorResponse(
  error: unknown,
  client: ClientDialect,
  { requestId, language }: { readonly requestId: string; readonly language: Language },
  { log }: { readonly log: Logger },
): Response {
  if (!(error instanceof GatewayError || error instanceof AttemptsFailed))
    log.error('a request failed unexpectedly', { request_id: requestId, error })
  const clientError = inLanguage(toClientError(error), language)
  const { status, retryAfterSeconds } = clientError
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  return Response.json(client.writeError(clientError, requestId), { status, headers })
}
