import type { AnyEndpoint } from '#contract/endpoint.ts'
import type { RateLimit, RateLimiter } from '../core/rate-limit.ts'
import { apiErrors } from '../core/api-error.ts'
import { isLoopback, networkOf } from './client-address.ts'

const MINUTE_MS = 60_000
/** By user, and by address for whoever is not signed in. */
const CALLS: RateLimit = { name: 'calls', limit: 180, windowMs: 3 * MINUTE_MS }
/** By address, for all critical calls together. */
const CRITICAL_CALLS: RateLimit = { name: 'critical', limit: 20, windowMs: 20 * MINUTE_MS }
const PAGES: RateLimit = { name: 'pages', limit: 60, windowMs: 3 * MINUTE_MS }
const TOO_MANY_REQUESTS = 429

const refuse = apiErrors(
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
 * Lets a call pass or refuses it with HTTP 429. Whoever is signed in is counted by their id, so that an office behind
 * one address is not one caller; this machine's own calls are not counted.
 */
export async function admitCall(
  endpoint: AnyEndpoint,
  { userId, address }: { readonly userId: number; readonly address: string },
  windows: RateLimiter,
): Promise<void> {
  if (isLoopback(address)) return
  const network = networkOf(address)
  await take(CALLS, userId === 0 ? network : `user ${userId}`, windows)
  if (endpoint.isCritical) await take(CRITICAL_CALLS, network, windows)
}

export async function admitPage(address: string, windows: RateLimiter): Promise<void> {
  if (!isLoopback(address)) await take(PAGES, networkOf(address), windows)
}

async function take(limit: RateLimit, subject: string, windows: RateLimiter): Promise<void> {
  const { isAllowed, retryAfterMs } = await windows.take(limit, subject)
  if (!isAllowed) throw refuse('too_often', { seconds: Math.ceil(retryAfterMs / 1000) })
}
