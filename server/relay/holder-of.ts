import type { HoldWish } from '../ledger/ledger.ts'
import type { Caller } from './caller.ts'
import type { RelaySettings } from './gateway.ts'

/** Whose money a request holds, and how many requests of theirs may be under way with it. */
export function holderOf(
  { userId, token }: Caller,
  { userConcurrency }: RelaySettings,
): Omit<HoldWish, 'requestId' | 'amount'> {
  const limits = { user: userConcurrency, token: token?.concurrency ?? 0 }
  const holder = { userId, tokenId: token?.id ?? null, isTokenLimited: token?.isLimited ?? false }
  return limits.user > 0 || limits.token > 0 ? { ...holder, limits } : holder
}
