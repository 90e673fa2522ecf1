import { GatewayError } from '../../core/errors.ts'
import type { RateLimit, RateLimiter, RateLimitResult } from '../../core/rate-limit.ts'
import type { Caller, RequestRate, SettingsReader } from '../types.ts'
import type { FailureLimit } from './failure-limit.ts'

export interface RateLimitDeps {
  readonly rateLimiter: RateLimiter
  readonly failureLimit: FailureLimit
  readonly settings: SettingsReader<'requestRate'>
}

/** A request that passed the rate limits. Call exactly one of the functions when it ends. */
export interface Admission {
  /** Adds the rate limit headers, and does not count a response with an error status as a success. */
  complete(response: Response): Promise<Response>
  /** Call this for a request that ends without a response of its own. */
  cancel(): Promise<void>
}

const LEAST_ERROR_STATUS = 400
const MINUTE_MS = 60_000
/** Far above an agent that polls its responses once a second. */
const LOOKUPS: RateLimit = { name: 'lookups', limit: 3_600, windowMs: 180_000 }
const BALANCE_QUERIES: RateLimit = { name: 'balance queries', limit: 180, windowMs: 180_000 }

export const UNLIMITED: Admission = {
  complete: response => Promise.resolve(response),
  cancel: () => Promise.resolve(),
}

/**
 * Applies the rate limits of the caller's token and, with `includesUser`, of its user. Throws GatewayError
 * `too_many_requests` with the time to wait.
 */
export async function limitRate(
  caller: Caller,
  { includesUser }: { readonly includesUser: boolean },
  deps: RateLimitDeps,
): Promise<Admission> {
  deps.failureLimit.check(caller)
  await limitTokenRate(caller, deps)
  const { requestRate } = deps.settings.current()
  return includesUser && requestRate ? limitUserRate(caller, requestRate, deps) : UNLIMITED
}

/** Both admissions as one. When `further` rejects, the first one is cancelled. */
export async function admitFurther(first: Admission, further: Promise<Admission>): Promise<Admission> {
  const second = await further.catch(async (error: unknown) => {
    await first.cancel()
    throw error
  })
  return {
    complete: async response => second.complete(await first.complete(response)),
    async cancel() {
      await first.cancel()
      await second.cancel()
    },
  }
}

async function limitTokenRate({ token }: Caller, { rateLimiter }: RateLimitDeps): Promise<void> {
  if (!token || token.requestsPerMinute === 0) return
  const limit: RateLimit = { name: 'token requests', limit: token.requestsPerMinute, windowMs: MINUTE_MS }
  rejectWhenFull(await rateLimiter.take(limit, `token ${token.id}`), limit)
}

/** A success is counted in advance and put back when the request fails, so that concurrent requests cannot exceed the limit. */
async function limitUserRate(
  { userId }: Caller,
  { windowMs, requests, successes }: RequestRate,
  { rateLimiter }: RateLimitDeps,
): Promise<Admission> {
  const user = `user ${userId}`
  const requestLimit: RateLimit = { name: 'model requests', limit: requests, windowMs }
  const successLimit: RateLimit = { name: 'model successes', limit: successes, windowMs }
  if (requests > 0) rejectWhenFull(await rateLimiter.take(requestLimit, user), requestLimit)
  const taken = await rateLimiter.take(successLimit, user)
  rejectWhenFull(taken, successLimit)
  const cancel = () => rateLimiter.putBack(successLimit, user, taken)
  return {
    async complete(response) {
      // OpenAI's header names, which its SDKs read.
      response.headers.set('x-ratelimit-limit-requests', String(successes))
      response.headers.set('x-ratelimit-remaining-requests', String(taken.remaining))
      if (response.status >= LEAST_ERROR_STATUS) await cancel()
      return response
    },
    cancel,
  }
}

/** For calls that reach no model: they cost nothing, but each reads the database. */
export async function limitLookups(
  { userId }: Caller,
  { rateLimiter }: Pick<RateLimitDeps, 'rateLimiter'>,
): Promise<Admission> {
  rejectWhenFull(await rateLimiter.take(LOOKUPS, `user ${userId}`), LOOKUPS)
  return UNLIMITED
}

/** Balance queries have their own limit, since some clients send them all the time. */
export async function limitBalanceQueries(
  { userId }: Caller,
  { rateLimiter }: Pick<RateLimitDeps, 'rateLimiter'>,
): Promise<void> {
  rejectWhenFull(await rateLimiter.take(BALANCE_QUERIES, `user ${userId}`), BALANCE_QUERIES)
}

function rejectWhenFull({ isAllowed, retryAfterMs }: RateLimitResult, { limit, windowMs }: RateLimit): void {
  if (isAllowed) return
  const seconds = Math.ceil(retryAfterMs / 1000)
  const minutes = Math.round(windowMs / MINUTE_MS)
  throw new GatewayError(
    'too_many_requests',
    {
      zh: `每 ${minutes} 分钟最多请求 ${limit} 次，请在 ${seconds} 秒后重试`,
      en: `the limit is ${limit} requests in ${minutes} min; try again in ${seconds} s`,
    },
    { retryAfterSeconds: seconds },
  )
}
