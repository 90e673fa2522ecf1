import { refusals } from '../kernel/refusal.ts'
import { openSlidingWindow } from '../kernel/sliding-window.ts'

const MINUTE_MS = 60_000
const ACCOUNT_FAILURES = { limit: 10, windowMs: 10 * MINUTE_MS, keysMax: 10_000 }
const ADDRESS_FAILURES = { limit: 20, windowMs: 20 * MINUTE_MS, keysMax: 10_000 }
const TOO_MANY_REQUESTS = 429

const refuse = refusals(
  'auth',
  {
    too_often: {
      zh: '尝试次数过多，请在 {seconds} 秒后再试',
      en: 'too many attempts, try again in {seconds} seconds',
    },
  },
  TOO_MANY_REQUESTS,
)

/** Slows down guessing of passwords, by account and by address. */
export interface SignInThrottle {
  /** Throws a refusal with HTTP 429 when the account or the address has failed too often. */
  admit(account: string, address: string): void
  noteFailure(account: string, address: string): void
  noteSuccess(account: string): void
}

export function openSignInThrottle(): SignInThrottle {
  const accounts = openSlidingWindow(ACCOUNT_FAILURES)
  const addresses = openSlidingWindow(ADDRESS_FAILURES)
  return {
    admit(account, address) {
      const waitMs = Math.max(accounts.waitMs(account), addresses.waitMs(address))
      if (waitMs > 0) throw refuse('too_often', { seconds: Math.ceil(waitMs / 1000) })
    },
    noteFailure(account, address) {
      accounts.add(account)
      addresses.add(address)
    },
    noteSuccess: account => accounts.forget(account),
  }
}
