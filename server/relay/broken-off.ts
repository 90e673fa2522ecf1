import { GatewayError } from '../kernel/errors.ts'
import { networkReason } from './network-reason.ts'
import { SilentUpstream } from './wire/upstream-response.ts'

/** What is told of an answer that comes in pieces and ended before its end. */
export function brokenOff(cause: unknown): GatewayError {
  if (cause instanceof SilentUpstream)
    return new GatewayError(
      'upstream_timeout',
      `the upstream sent nothing for ${Math.round(cause.afterMs / 1000)} s`,
    )
  const reason = networkReason(cause)
  return new GatewayError('upstream_bad_answer', `the upstream's stream broke off (${reason})`, { cause })
}
