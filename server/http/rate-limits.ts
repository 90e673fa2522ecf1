import type { AnyEndpoint } from '#contract/endpoint.ts'
import { apiErrors } from '../core/api-error.ts'
import type { RateLimit, RateLimiter } from '../core/rate-limit.ts'
import { clientNetwork, isLoopback } from './client-address.ts'

const MINUTE_MS = 60_000
/** By user, or by network for visitors. */
const CALLS: RateLimit = { name: 'calls', limit: 180, windowMs: 3 * MINUTE_MS }
/** By network, for all critical endpoints together. */
const CRITICAL_CALLS: RateLimit = { name: 'critical', limit: 20, windowMs: 20 * MINUTE_MS }
const PAGES: RateLimit = { name: 'pages', limit: 60, windowMs: 3 * MINUTE_MS }
const TOO_MANY_REQUESTS = 429

const rateLimitError = apiErrors(
  'rate',
  {
    too_often: {
      zh: '请求次数过多，请在 {seconds} 秒后再试',
      en: 'too many requests, try again in {seconds} seconds',
    },
  },
  TOO_MANY_REQUESTS,
)

/**
 * Counts a management call. Throws rate.too_often (HTTP 429) above the limit. Signed-in users are counted by id, so that
 * an office behind one address is not one caller. Calls from this machine are not counted.
 */
export async function limitCall(
  endpoint: AnyEndpoint,
  { userId, address }: { readonly userId: number; readonly address: string },
  limiter: RateLimiter,
): Promise<void> {
  if (isLoopback(address)) return
  const network = clientNetwork(address)
  await take(CALLS, userId === 0 ? network : `user ${userId}`, limiter)
  if (endpoint.isCritical) await take(CRITICAL_CALLS, network, limiter)
}

/** Counts a page view. Throws rate.too_often above the limit. */
export async function limitPage(address: string, limiter: RateLimiter): Promise<void> {
  if (!isLoopback(address)) await take(PAGES, clientNetwork(address), limiter)
}

async function take(limit: RateLimit, subject: string, limiter: RateLimiter): Promise<void> {
  const { isAllowed, retryAfterMs } = await limiter.take(limit, subject)
  if (!isAllowed) throw rateLimitError('too_often', { seconds: Math.ceil(retryAfterMs / 1000) })
}
