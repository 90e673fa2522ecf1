import { GatewayError } from '../../core/errors.ts'
import { ResponseStalledError } from '../http1/http-response.ts'

/** What is told of an answer that comes in pieces and ended before its end. */
export function brokenOff(cause: unknown): GatewayError {
  if (cause instanceof ResponseStalledError)
    return new GatewayError('upstream_timeout', `the upstream sent nothing for ${inSeconds(cause.afterMs)}`)
  const reason = networkReason(cause)
  return new GatewayError('upstream_bad_answer', `the upstream's stream broke off (${reason})`, { cause })
}

/** What is told of one that does not come to its end within the limit of all streams. */
export const endless = (streamMs: number): GatewayError =>
  new GatewayError('upstream_timeout', `the upstream did not end its stream within ${inSeconds(streamMs)}`)

export const inSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`

/** The system's own word for what went wrong (ECONNREFUSED …): messages may hold an address or talk of our own tools. */
export const networkReason = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'network failure'
