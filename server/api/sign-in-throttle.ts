import type { RateLimit, RateLimiter } from '../core/rate-limit.ts'
import { apiErrors } from '../core/api-error.ts'

const MINUTE_MS = 60_000
const BY_ACCOUNT: RateLimit = { name: 'failed sign-ins of account', limit: 10, windowMs: 10 * MINUTE_MS }
const BY_ADDRESS: RateLimit = { name: 'failed sign-ins from', limit: 20, windowMs: 20 * MINUTE_MS }
const TOO_MANY_REQUESTS = 429

const refuse = apiErrors(
  'auth',
  {
    too_often: {
      zh: '尝试次数过多，请在 {seconds} 秒后再试',
      en: 'too many attempts, try again in {seconds} seconds',
    },
  },
  TOO_MANY_REQUESTS,
)

/**
 * Slows down guessing of passwords. For an account an attempt counts before it is made, so that many at once cannot slip
 * through, and counts no more when it succeeds. For an address only failures count: many people may sign in from behind
 * one at the same time. Throws a refusal with HTTP 429 when the account or the address has failed too often.
 */
export async function throttled<Result>(
  account: string,
  address: string,
  windows: RateLimiter,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const ofAddress = await windows.peek(BY_ADDRESS, address)
  const ofAccount = await windows.take(BY_ACCOUNT, account)
  const waitMs = Math.max(ofAccount.retryAfterMs, ofAddress.retryAfterMs)
  if (waitMs > 0) throw refuse('too_often', { seconds: Math.ceil(waitMs / 1000) })
  try {
    const result = await attempt()
    await windows.putBack(BY_ACCOUNT, account, ofAccount)
    return result
  } catch (error) {
    await windows.take(BY_ADDRESS, address)
    throw error
  }
}
