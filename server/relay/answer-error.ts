import type { ClientDialect } from '../provider-kit/client-dialect.ts'
import { isUnexpected, toClientError } from './client-error.ts'
import type { Door } from './door.ts'
import type { Gateway } from './gateway.ts'

/** Tells the client what went wrong, in its own dialect. Bugs of ours are logged with the request id. */
export function answerError(
  thrown: unknown,
  client: ClientDialect,
  { requestId }: Door,
  { log }: Gateway,
): Response {
  if (isUnexpected(thrown))
    log.error('a request failed unexpectedly', { request_id: requestId, error: thrown })
  const error = toClientError(thrown)
  const headers =
    error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }
  return Response.json(client.writeError(error, requestId), { status: error.status, headers })
}
