import { apiErrors } from '../core/api-error.ts'
import type { RateLimit, RateLimiter } from '../core/rate-limit.ts'
import { deleteSessionsOfUser } from '../db/accounts/sessions.ts'
import { type UserUpdate, updateUser } from '../db/accounts/users.ts'
import type { Database } from '../db/engine/database.ts'

/**
 * The minimum that OWASP's Password Storage Cheat Sheet recommends for argon2id: 19 MiB, two passes. The runtime's
 * default of 64 MiB would dominate the memory peak of the gateway.
 */
const ARGON2ID = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, ARGON2ID)

const DUMMY_HASH = Bun.password.hashSync(crypto.randomUUID(), ARGON2ID)

/**
 * Compares a password with an argon2id hash, or with the bcrypt hash of an imported account. An empty hash takes as
 * long as a real one, so that response times do not reveal which accounts exist.
 */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const isMatch = await Bun.password.verify(password, hash || DUMMY_HASH)
  return isMatch && hash !== ''
}

type PasswordColumns = Required<Pick<UserUpdate, 'password_hash' | 'must_change_password'>>

/** Stores a new password. All sessions and the access token of the user end with the old one. */
export async function replacePassword(tx: Database, userId: number, columns: PasswordColumns): Promise<void> {
  await updateUser(tx, userId, { ...columns, access_token_hash: null })
  await deleteSessionsOfUser(tx, userId)
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
 * Throttles password guessing. Per account, an attempt counts before it is made, so that parallel attempts cannot slip
 * through, and is refunded when it succeeds. Per address only failures count, because many people may share one.
 * Throws `auth.too_often` (HTTP 429) when the account or the address has too many failures.
 */
export async function throttleAttempts<Result>(
  account: string,
  address: string,
  limiter: RateLimiter,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const byAddress = await limiter.peek(BY_ADDRESS, address)
  const byAccount = await limiter.take(BY_ACCOUNT, account)
  const waitMs = Math.max(byAccount.retryAfterMs, byAddress.retryAfterMs)
  if (waitMs > 0) throw throttleError('too_often', { seconds: Math.ceil(waitMs / 1000) })
  try {
    const result = await attempt()
    await limiter.putBack(BY_ACCOUNT, account, byAccount)
    return result
  } catch (error) {
    await limiter.take(BY_ADDRESS, address)
    throw error
  }
}
