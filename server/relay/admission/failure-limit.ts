import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import type { RateLimit, RateLimiter } from '../../core/rate-limit.ts'
import type { Caller, SettingsReader } from '../types.ts'

const MINUTE_MS = 60_000
const BLOCKED_MAX = 10_000
/** Statuses that say nothing about the request: the key of the channel, the time, the load, a client that left. */
const NOT_OF_THE_REQUEST: ReadonlySet<number> = new Set([401, 402, 403, 408, 429, 499])
const CLIENT_ERRORS = { min: 400, max: 499 } as const

interface FailureLimitDeps {
  readonly rateLimiter: RateLimiter
  readonly settings: SettingsReader<'failuresPerMinute'>
}

/**
 * Limits the failing requests of each user, since every one leaves a row. Only failures are counted, so that other requests
 * need no look at the shared store; each process learns of an exceeded limit with its next failure.
 */
export class FailureLimit {
  private readonly deps: FailureLimitDeps
  /** By user, when the next request is admitted; on the clock of `elapsedMs`. */
  private readonly blocked = new Map<number, number>()

  constructor(deps: FailureLimitDeps) {
    this.deps = deps
  }

  /** Throws GatewayError `too_many_requests` while too many requests of the user have failed. */
  check({ userId }: Pick<Caller, 'userId'>): void {
    const untilMs = this.blocked.get(userId)
    if (untilMs === undefined) return
    const leftMs = untilMs - elapsedMs()
    const limit = this.deps.settings.current().failuresPerMinute
    if (leftMs <= 0 || limit === 0) return void this.blocked.delete(userId)
    const seconds = Math.ceil(leftMs / 1000)
    throw new GatewayError(
      'too_many_requests',
      {
        zh: `失败的请求过多（每分钟最多 ${limit} 个），请在 ${seconds} 秒后重试`,
        en: `too many requests failed: the limit is ${limit} a minute; try again in ${seconds} s`,
      },
      { retryAfterSeconds: seconds },
    )
  }

  /** Counts a failed request. Returns whether its row may be stored. */
  async count({ userId }: Pick<Caller, 'userId'>, status: number): Promise<boolean> {
    const limit = this.deps.settings.current().failuresPerMinute
    if (limit === 0) return true
    // Counted apart, so that no caller is rejected because a provider fails.
    const isOwnFault = isFaultOfRequest(status)
    const name = isOwnFault ? 'failed requests' : 'failures of providers'
    const rate: RateLimit = { name, limit, windowMs: MINUTE_MS }
    const { isAllowed, retryAfterMs } = await this.deps.rateLimiter.take(rate, `user ${userId}`)
    if (!isAllowed && isOwnFault && this.blocked.size < BLOCKED_MAX)
      this.blocked.set(userId, elapsedMs() + retryAfterMs)
    return isAllowed
  }
}

const isFaultOfRequest = (status: number): boolean =>
  status >= CLIENT_ERRORS.min && status <= CLIENT_ERRORS.max && !NOT_OF_THE_REQUEST.has(status)
