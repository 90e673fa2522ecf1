import { apiErrors } from '../core/api-error.ts'
import { nowSeconds } from '../core/clock.ts'
import { type Quota, quota } from '../core/money.ts'
import { addToInvitationEarnings, addToWallet, updateTokenRemain } from '../db/billing/balances.ts'
import { insertPostings } from '../db/billing/postings.ts'
import type { Database } from '../db/engine/database.ts'
import type { Account } from '../db/engine/tables.ts'

/** Why money came in or went out other than by a request. */
export type AdjustmentKind = 'gift' | 'adjustment' | 'code' | 'top_up' | 'import'

interface AdjustmentCause {
  readonly userId: number
  /** The user who did it; 0 for the gateway. */
  readonly actorId: number
  /** For the person who reads the books. */
  readonly reason: string
  /** The request that caused it; empty for none. */
  readonly requestId: string
}

export interface WalletAdjustment extends AdjustmentCause {
  readonly kind: AdjustmentKind
  /** Whole units; negative takes. */
  readonly amount: number
}

export interface InvitationAdjustment extends AdjustmentCause {
  readonly amount: Quota
}

export interface TokenLimitAdjustment extends AdjustmentCause {
  readonly tokenId: number
  /** What the token may still spend from now on. */
  readonly remain: Quota
  /** What it could spend when that was chosen: what was spent or came back since then counts. Absent: as it is now. */
  readonly knownRemain?: number
}

interface AdjustmentPosting {
  readonly kind: string
  readonly from: Account
  readonly to: Account
  readonly amount: number
  readonly tokenId?: number
}

const adjustmentError = apiErrors('ledger', {
  wallet_too_small: {
    zh: '余额不足，无法扣除 {amount}',
    en: 'The balance is less than the {amount} units to take',
  },
  invitation_too_small: {
    zh: '邀请额度不足 {amount}',
    en: 'The invitation earnings are less than {amount} units',
  },
})

/**
 * Gives to a wallet or takes from it, with its posting, in the caller's transaction.
 * Throws the refusal ledger.wallet_too_small rather than take a wallet below zero.
 */
export async function adjustWallet(tx: Database, change: WalletAdjustment): Promise<void> {
  const { kind } = change
  const amount = quota(change.amount)
  if (!(await addToWallet(tx, change.userId, amount)))
    throw adjustmentError('wallet_too_small', { amount: Math.abs(amount) })
  if (amount > 0) await insertPosting(tx, change, { kind, from: 'issued', to: 'wallet', amount })
  if (amount < 0) await insertPosting(tx, change, { kind, from: 'wallet', to: 'issued', amount: -amount })
}

/** Credits an inviter. The earnings are not spendable until they are transferred. */
export async function creditInvitation(tx: Database, change: InvitationAdjustment): Promise<void> {
  const { amount } = change
  await addToInvitationEarnings(tx, change.userId, amount)
  if (amount > 0)
    await insertPosting(tx, change, { kind: 'invitation', from: 'issued', to: 'invitation', amount })
}

/** Moves invitation earnings into the wallet. Throws the refusal ledger.invitation_too_small when there are fewer. */
export async function transferInvitation(tx: Database, change: InvitationAdjustment): Promise<void> {
  const { userId, amount } = change
  if (!(await addToInvitationEarnings(tx, userId, -amount)))
    throw adjustmentError('invitation_too_small', { amount })
  await addToWallet(tx, userId, amount)
  if (amount > 0)
    await insertPosting(tx, change, { kind: 'invitation_transfer', from: 'invitation', to: 'wallet', amount })
}

/** Sets what a token may still spend and posts the difference. A token that does not exist is left so. */
export async function setTokenLimit(tx: Database, limit: TokenLimitAdjustment): Promise<void> {
  const { tokenId, remain, knownRemain } = limit
  const moved = await updateTokenRemain(tx, tokenId, before =>
    knownRemain === undefined ? remain : Math.max(before + remain - knownRemain, 0),
  )
  const amount = quota(moved ? moved.after - moved.before : 0)
  if (amount > 0)
    await insertPosting(tx, limit, { kind: 'limit', from: 'limits', to: 'token', amount, tokenId })
  if (amount < 0)
    await insertPosting(tx, limit, { kind: 'limit', from: 'token', to: 'limits', amount: -amount, tokenId })
}

function insertPosting(tx: Database, cause: AdjustmentCause, move: AdjustmentPosting): Promise<unknown> {
  const posting = {
    kind: move.kind,
    from_account: move.from,
    to_account: move.to,
    amount: move.amount,
    user_id: cause.userId,
    token_id: move.tokenId ?? null,
    is_token_limited: 0,
    channel_id: null,
    request_id: cause.requestId,
    actor_id: cause.actorId,
    reason: cause.reason,
    created_at: nowSeconds(),
  } as const
  return insertPostings(tx, [posting])
}
