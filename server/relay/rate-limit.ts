import { GatewayError } from '../kernel/errors.ts'
import type { Place, RateLimit } from '../kernel/rate-windows.ts'
import type { Caller } from './caller.ts'
import type { Gateway } from './gateway.ts'

const FIRST_FAILED_STATUS = 400

/**
 * Serves a request within the limits of its user. A place among the successes is taken before and given back when the
 * request fails, so that many at once cannot slip through together. Throws too_many_requests with the time to wait.
 */
export async function limitRate(
  { userId }: Caller,
  gateway: Gateway,
  serve: () => Promise<Response>,
): Promise<Response> {
  const { requestRate } = gateway.settings.current()
  if (!requestRate) return serve()
  const { windowMs, requests, successes } = requestRate
  const user = `user ${userId}`
  const ofRequests: RateLimit = { name: 'model requests', limit: requests, windowMs }
  const ofSuccesses: RateLimit = { name: 'model successes', limit: successes, windowMs }
  if (requests > 0) refuseWhenFull(await gateway.rateWindows.take(ofRequests, user), ofRequests)
  const place = await gateway.rateWindows.take(ofSuccesses, user)
  refuseWhenFull(place, ofSuccesses)
  let isSuccess = false
  try {
    const response = await serve()
    isSuccess = response.status < FIRST_FAILED_STATUS
    return response
  } finally {
    if (!isSuccess) await gateway.rateWindows.giveBack(ofSuccesses, user, place)
  }
}

function refuseWhenFull({ isFree, waitMs }: Place, { limit, windowMs }: RateLimit): void {
  if (isFree) return
  const seconds = Math.ceil(waitMs / 1000)
  throw new GatewayError(
    'too_many_requests',
    `${limit} requests in ${Math.round(windowMs / 60_000)} min are the limit, try again in ${seconds} s`,
    { retryAfterSeconds: seconds },
  )
}
