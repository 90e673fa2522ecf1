import type { RateLimit, RateLimiter } from '../core/rate-limit.ts'
import { apiErrors } from '../core/api-error.ts'

/** OWASP's least for argon2id (Password Storage Cheat Sheet): 19 MiB, two passes. The runtime's own 64 MiB would be the peak of the whole gateway's memory. */
const ARGON2ID = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, ARGON2ID)

const HASH_OF_NOTHING = Bun.password.hashSync(crypto.randomUUID(), ARGON2ID)

/**
 * Whether the password belongs to the hash: argon2id, or the bcrypt of an imported account.
 * An empty hash costs as much time as a real one, so that the answer's time does not tell which accounts exist.
 */
export async function isPasswordRight(password: string, hash: string): Promise<boolean> {
  const isRight = await Bun.password.verify(password, hash || HASH_OF_NOTHING)
  return isRight && hash !== ''
}

const MINUTE_MS = 60_000
const BY_ACCOUNT: RateLimit = { name: 'failed sign-ins of account', limit: 10, windowMs: 10 * MINUTE_MS }
const BY_ADDRESS: RateLimit = { name: 'failed sign-ins from', limit: 20, windowMs: 20 * MINUTE_MS }
const TOO_MANY_REQUESTS = 429

const throttleError = apiErrors(
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
export async function throttleAttempts<Result>(
  account: string,
  address: string,
  windows: RateLimiter,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const ofAddress = await windows.peek(BY_ADDRESS, address)
  const ofAccount = await windows.take(BY_ACCOUNT, account)
  const waitMs = Math.max(ofAccount.retryAfterMs, ofAddress.retryAfterMs)
  if (waitMs > 0) throw throttleError('too_often', { seconds: Math.ceil(waitMs / 1000) })
  try {
    const result = await attempt()
    await windows.putBack(BY_ACCOUNT, account, ofAccount)
    return result
  } catch (error) {
    await windows.take(BY_ADDRESS, address)
    throw error
  }
}
