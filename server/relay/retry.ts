import type { Failure } from '../provider-kit/failure.ts'

/** Timeouts of proxies in front of the vendor: the vendor may still be working on the first try. */
const GATEWAY_TIMEOUTS: ReadonlySet<number> = new Set([504, 524])

/** Whether the next channel may well answer what this one did not. The vendor's own word goes before its status. */
export function isWorthRetrying({ status, isRetryable }: Failure): boolean {
  if (isRetryable !== undefined) return isRetryable
  if (status === 400 || status === 408 || status === 499) return false
  if (status >= 500) return !GATEWAY_TIMEOUTS.has(status)
  return status >= 300
}
