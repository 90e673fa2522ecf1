import { GatewayError } from '../../core/errors.ts'
import { inLanguage, type Language } from '../../core/language.ts'
import type { Logger } from '../../core/logger.ts'
import type { ClientDialect, ClientError } from '../../provider-kit/contract/client-dialect.ts'
import { rateLimitOf, readErrorKind } from '../../provider-kit/error-kind.ts'
import type { Failure } from '../../provider-kit/failures.ts'
import { AttemptsFailed, toClientError } from '../routing/attempts.ts'
import type { RelayRequest } from '../types.ts'

/** Logs a bug with the request id. */
export function logUnexpected(
  error: unknown,
  { requestId }: { readonly requestId: string },
  { log }: { readonly log: Logger },
): void {
  if (!(error instanceof GatewayError || error instanceof AttemptsFailed))
    log.error('a request failed unexpectedly', { request_id: requestId, error })
}

/** Renders an error in the client's dialect and language. */
export function errorResponse(
  error: unknown,
  client: ClientDialect,
  { requestId, language }: { readonly requestId: string; readonly language: Language },
): Response {
  const clientError = withKindStatus(inLanguage(toClientError(error), language))
  const status = client.errorStatus?.(clientError) ?? clientError.status
  return Response.json(client.writeError(clientError, requestId), {
    status,
    headers: {
      ...retryHeaders(clientError),
      ...client.errorHeaders?.({ ...clientError, rateLimit: rateLimitOf(error) }),
    },
  })
}

const STATUS_NOT_FOUND = 404

/** Some providers have another status for a model that they do not know. */
const withKindStatus = <Shown extends ClientError>(error: Shown): Shown =>
  readErrorKind(error) === 'unknown model' ? { ...error, status: STATUS_NOT_FOUND } : error

/** The error as a stream, where that has begun, and for clients of a stream that would not understand it otherwise. */
export function streamedErrorResponse(
  error: unknown,
  request: RelayRequest,
  isStreaming: boolean,
): Response | undefined {
  if (!request.isStream) return undefined
  const { client, context, dialect, language } = request
  const clientError = toClientError(error)
  if (!dialect.stream || !(isStreaming || client.isStreamedError?.(clientError))) return undefined
  return new Response(dialect.stream.createWriter(context).fail(inLanguage(clientError, language)), {
    headers: { 'content-type': dialect.stream.contentType(context) },
  })
}

const FINAL_STATUSES: ReadonlySet<number> = new Set([401, 501])

/** `x-should-retry` is how OpenAI's and Anthropic's SDKs learn that a status that they retry by default is final. */
function retryHeaders(error: ClientError & Pick<Failure, 'retryAfterSeconds'>): Record<string, string> {
  const { status, retryAfterSeconds } = error
  const isFinal = FINAL_STATUSES.has(status) || readErrorKind(error) !== undefined
  return {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(isFinal && { 'x-should-retry': 'false' }),
  }
}
