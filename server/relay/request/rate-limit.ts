import { GatewayError } from '../../core/errors.ts'
import type { RateLimit, RateLimitResult } from '../../core/rate-limit.ts'
import type { RelayContext } from '../relay-context.ts'
import type { Caller, RequestRate } from '../types.ts'

const FIRST_FAILED_STATUS = 400
const MINUTE_MS = 60_000
const BALANCE_QUERIES: RateLimit = { name: 'balance queries', limit: 180, windowMs: 180_000 }

/**
 * Serves a request within the rates of its token and its user. A place among the successes is taken before and given
 * back when the request fails, so that many at once cannot slip through together. An answer says what is left, as
 * OpenAI's do. Throws too_many_requests with the time to wait.
 */
export function limitRate<Asking extends HasCaller>(
  asking: Asking,
  gateway: RelayContext,
  serve: Serve<Asking>,
): Promise<Response> {
  const { requestRate } = gateway.settings.current()
  const isFree = !requestRate && !asking.caller.token?.requestsPerMinute
  return isFree ? serve(asking, gateway) : serveWithin(requestRate, asking, gateway, serve)
}

interface HasCaller {
  readonly caller: Caller
}
type Serve<Asking> = (asking: Asking, gateway: RelayContext) => Promise<Response>

async function serveWithin<Asking extends HasCaller>(
  requestRate: RequestRate | undefined,
  asking: Asking,
  gateway: RelayContext,
  serve: Serve<Asking>,
): Promise<Response> {
  const { caller } = asking
  await limitTokenRate(caller, gateway)
  if (!requestRate) return serve(asking, gateway)
  const { windowMs, requests, successes } = requestRate
  const user = `user ${caller.userId}`
  const ofRequests: RateLimit = { name: 'model requests', limit: requests, windowMs }
  const ofSuccesses: RateLimit = { name: 'model successes', limit: successes, windowMs }
  if (requests > 0) refuseWhenFull(await gateway.rateLimiter.take(ofRequests, user), ofRequests)
  const place = await gateway.rateLimiter.take(ofSuccesses, user)
  refuseWhenFull(place, ofSuccesses)
  let isSuccess = false
  try {
    const response = await serve(asking, gateway)
    isSuccess = response.status < FIRST_FAILED_STATUS
    response.headers.set('x-ratelimit-limit-requests', String(successes))
    response.headers.set('x-ratelimit-remaining-requests', String(place.remaining))
    return response
  } finally {
    if (!isSuccess) await gateway.rateLimiter.putBack(ofSuccesses, user, place)
  }
}

/** Counts a request whose token has a rate of its own. Throws too_many_requests with the time to wait. */
export async function limitTokenRate({ token }: Caller, { rateLimiter }: RelayContext): Promise<void> {
  if (!token || token.requestsPerMinute === 0) return
  const limit: RateLimit = { name: 'token requests', limit: token.requestsPerMinute, windowMs: MINUTE_MS }
  refuseWhenFull(await rateLimiter.take(limit, `token ${token.id}`), limit)
}

/** Clients ask for balances by themselves, some of them all the time. */
export async function limitBalanceQueries({ userId }: Caller, { rateLimiter }: RelayContext): Promise<void> {
  refuseWhenFull(await rateLimiter.take(BALANCE_QUERIES, `user ${userId}`), BALANCE_QUERIES)
}

function refuseWhenFull({ isAllowed, retryAfterMs }: RateLimitResult, { limit, windowMs }: RateLimit): void {
  if (isAllowed) return
  const seconds = Math.ceil(retryAfterMs / 1000)
  throw new GatewayError(
    'too_many_requests',
    `${limit} requests in ${Math.round(windowMs / MINUTE_MS)} min are the limit, try again in ${seconds} s`,
    { retryAfterSeconds: seconds },
  )
}
