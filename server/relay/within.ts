import { setDeadline } from '../kernel/deadlines.ts'
import { GatewayError } from '../kernel/errors.ts'
import { networkReason } from './network-reason.ts'

/**
 * The next piece of an answer that comes in pieces. Throws GatewayError `upstream_timeout` when it takes too long and
 * `upstream_bad_answer` when the answer breaks off.
 */
export async function within<Value>(ms: number, pending: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const deadline = setDeadline(ms, () =>
    late.reject(
      new GatewayError('upstream_timeout', `the upstream sent nothing for ${Math.round(ms / 1000)} s`),
    ),
  )
  try {
    return await Promise.race([pending, late.promise])
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    const reason = networkReason(cause)
    throw new GatewayError('upstream_bad_answer', `the upstream's stream broke off (${reason})`, { cause })
  } finally {
    deadline.drop()
  }
}
