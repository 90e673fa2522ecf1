import type { ApiContext } from '../api/context.ts'
import { apiErrors } from '../core/api-error.ts'
import type { RateLimit, RateLimiter, RateLimitResult } from '../core/rate-limit.ts'

const WINDOW_MS = 10 * 60_000
/** A guesser locks out only their own network, and only from this account. */
const BY_ACCOUNT_AND_NETWORK: RateLimit = { name: 'failed sign-ins', limit: 10, windowMs: WINDOW_MS }
/** Bounds guesses at one account from many networks to one in ten seconds. */
const BY_ACCOUNT: RateLimit = { name: 'failed sign-ins of account', limit: 60, windowMs: WINDOW_MS }
/** Bounds guesses at many accounts from one network. */
const BY_NETWORK: RateLimit = { name: 'failed sign-ins from', limit: 100, windowMs: WINDOW_MS }
/** A device that has signed in to the account before: no failure of anybody else counts against it. */
const BY_DEVICE: RateLimit = { name: 'failed sign-ins of device', limit: 10, windowMs: WINDOW_MS }
const TOO_MANY_REQUESTS = 429

const throttleError = apiErrors(
  'auth',
  {
    too_often: {
      zh: '尝试次数过多，请在 {seconds} 秒后重试',
      en: 'too many attempts; try again in {seconds} s',
    },
  },
  TOO_MANY_REQUESTS,
)

/** A password attempt: client address and account. */
export interface PasswordAttempt {
  /** The account as it was named. */
  readonly account: string
  readonly network: string
  /** Undefined for a device that has not signed in to the account before. */
  readonly device: string | undefined
}

/** The attempt of a caller at the own password. */
export const ownAttempt = ({ caller, network, session }: AttemptContext): PasswordAttempt => ({
  account: `user ${caller.id}`,
  network,
  device: session.deviceOf(caller.id),
})

type AttemptContext = Pick<ApiContext, 'caller' | 'network' | 'session'>

/**
 * Throttles password guessing so that nobody can lock another person out. An attempt counts before it is made, so that
 * parallel attempts cannot slip through, and is uncounted when it succeeds. Throws `auth.too_often` (HTTP 429) after too
 * many failures.
 */
export async function throttleAttempts<Result>(
  attempt: PasswordAttempt,
  limiter: RateLimiter,
  work: () => Promise<Result>,
): Promise<Result> {
  const counted = await countAttempt(limitsOf(attempt), limiter)
  const result = await work()
  await uncount(counted, limiter)
  return result
}

type Subject = readonly [limit: RateLimit, subject: string]
type Counted = readonly [...Subject, taken: RateLimitResult]

const limitsOf = ({ account, network, device }: PasswordAttempt): readonly Subject[] =>
  device === undefined
    ? [
        [BY_ACCOUNT_AND_NETWORK, `${account} ${network}`],
        [BY_ACCOUNT, account],
        [BY_NETWORK, network],
      ]
    : [[BY_DEVICE, `${account} ${device}`]]

async function countAttempt(limits: readonly Subject[], limiter: RateLimiter): Promise<readonly Counted[]> {
  const taken: Counted[] = []
  for (const [limit, subject] of limits) {
    const result = await limiter.take(limit, subject)
    if (!result.isAllowed) {
      await uncount(taken, limiter)
      throw throttleError('too_often', { seconds: Math.ceil(result.retryAfterMs / 1000) })
    }
    taken.push([limit, subject, result])
  }
  return taken
}

async function uncount(counted: readonly Counted[], limiter: RateLimiter): Promise<void> {
  for (const [limit, subject, taken] of counted) await limiter.putBack(limit, subject, taken)
}
