import { GatewayError } from '../../core/errors.ts'
import type { ClientDialect, ClientError } from '../../provider-kit/client-dialect.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import type { RelayContext } from '../relay-context.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import { AttemptsFailed } from '../upstream/attempts.ts'

const UNEXPECTED: ClientError = {
  status: 500,
  code: 'internal_error',
  message: 'the gateway failed unexpectedly',
}
const STATUS_SATURATED = 429

/** What a client is told of anything that was thrown. What is neither a refusal nor a failure is a bug and stays unnamed. */
export function toClientError(thrown: unknown): ClientError & Pick<Failure, 'retryAfterSeconds'> {
  if (thrown instanceof GatewayError) return thrown
  if (!(thrown instanceof AttemptsFailed)) return UNEXPECTED
  const { failure } = thrown
  return failure.status === STATUS_SATURATED
    ? { ...failure, message: `the upstream is saturated, try again later: ${failure.message}` }
    : failure
}

/** Whether this is a bug of ours rather than something a client or an upstream did. */
export const isUnexpected = (thrown: unknown): boolean =>
  !(thrown instanceof GatewayError || thrown instanceof AttemptsFailed)

/** Tells the client what went wrong, in its own dialect. Bugs of ours are logged with the request id. */
export function errorResponse(
  thrown: unknown,
  client: ClientDialect,
  { requestId }: ClientConnection,
  { log }: RelayContext,
): Response {
  if (isUnexpected(thrown))
    log.error('a request failed unexpectedly', { request_id: requestId, error: thrown })
  const error = toClientError(thrown)
  const headers =
    error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }
  return Response.json(client.writeError(error, requestId), { status: error.status, headers })
}
