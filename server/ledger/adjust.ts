import { apiErrors } from '../core/api-error.ts'
import { nowSeconds } from '../core/clock.ts'
import { type BothLanguages, toStoredText } from '../core/language.ts'
import { type Quota, quota } from '../core/money.ts'
import { addToInvitationEarnings, addToWallet, updateTokenRemain } from '../db/billing/balances.ts'
import { insertPostings } from '../db/billing/postings.ts'
import type { Database } from '../db/engine/database.ts'
import type { Account } from '../db/engine/ledger-tables.ts'

/** The kinds of postings by which money comes in or goes out without a request. */
export type AdjustmentKind = 'gift' | 'adjustment' | 'code' | 'top_up'

interface AdjustmentCause {
  readonly userId: number
  /** The user who makes the adjustment; 0 for the gateway. */
  readonly actorId: number
  /** Shown in statements. */
  readonly reason: BothLanguages
  /** The API request behind the adjustment; empty for none. */
  readonly requestId: string
}

export interface WalletAdjustment extends AdjustmentCause {
  readonly kind: AdjustmentKind
  /** Whole units; negative amounts are taken. */
  readonly amount: number
}

/** What a subscription moves: a payment for its period, what of it is given back, and what its days have earned. */
const PLAN_ACCOUNTS = {
  plan_payment: { from: 'wallet', to: 'owed' },
  plan_refund: { from: 'owed', to: 'wallet' },
  plan_earning: { from: 'owed', to: 'earned' },
} as const

export interface PlanAdjustment extends AdjustmentCause {
  readonly kind: keyof typeof PLAN_ACCOUNTS
  readonly amount: Quota
}

export interface InvitationAdjustment extends AdjustmentCause {
  readonly amount: Quota
}

export interface TokenLimitAdjustment extends AdjustmentCause {
  readonly tokenId: number
  /** The new remaining limit of the token. */
  readonly remain: Quota
  /**
   * The remaining limit on which the new one was based. Spending and returns since then are added to the new limit.
   * When absent, the new limit applies as it is.
   */
  readonly knownRemain?: number
}

interface AdjustmentPosting {
  readonly kind: string
  readonly from: Account
  readonly to: Account
  readonly amount: number
  readonly tokenId?: number
}

/** Two billion dollars. Sums of balances and amounts up to here stay exact in both engines. */
const BALANCE_MAX = 1_000_000_000_000_000

const adjustmentError = apiErrors('ledger', {
  wallet_too_small: {
    zh: '余额不足，无法扣除这一数额',
    en: 'the balance is less than the amount to subtract',
  },
  balance_too_large: {
    zh: '余额过大，超出可精确记账的上限',
    en: 'the balance would be larger than can be kept exactly',
  },
  invitation_too_small: {
    zh: '待使用收益不足',
    en: 'the invitation earnings are less than this amount',
  },
})

/**
 * Adds to a wallet or takes from it, with the posting, in the caller's transaction. Throws the API error
 * ledger.wallet_too_small when the wallet would drop below zero, and ledger.balance_too_large when it would grow beyond what
 * stays exact.
 */
export async function adjustWallet(tx: Database, adjustment: WalletAdjustment): Promise<void> {
  const { kind } = adjustment
  const amount = quota(adjustment.amount)
  await changeWallet(tx, adjustment.userId, amount)
  if (amount > 0) await insertPosting(tx, adjustment, { kind, from: 'issued', to: 'wallet', amount })
  if (amount < 0) await insertPosting(tx, adjustment, { kind, from: 'wallet', to: 'issued', amount: -amount })
}

async function changeWallet(tx: Database, userId: number, amount: Quota): Promise<void> {
  if (await addToWallet(tx, userId, { amount, balanceMax: BALANCE_MAX })) return
  throw adjustmentError(amount < 0 ? 'wallet_too_small' : 'balance_too_large')
}

/** Moves money of a subscription. Throws as `adjustWallet` does. */
export async function adjustPlan(tx: Database, adjustment: PlanAdjustment): Promise<void> {
  const { kind, userId, amount } = adjustment
  const { from, to } = PLAN_ACCOUNTS[kind]
  if (from === 'wallet') await changeWallet(tx, userId, quota(-amount))
  if (to === 'wallet') await changeWallet(tx, userId, amount)
  await insertPosting(tx, adjustment, { kind, from, to, amount })
}

/** Credits an inviter. The earnings cannot be spent until they are transferred. */
export async function creditInvitation(tx: Database, adjustment: InvitationAdjustment): Promise<void> {
  const { amount } = adjustment
  await addToInvitationEarnings(tx, adjustment.userId, amount)
  if (amount > 0)
    await insertPosting(tx, adjustment, { kind: 'invitation', from: 'issued', to: 'invitation', amount })
}

/** Moves invitation earnings into the wallet. Throws the API error ledger.invitation_too_small when there are fewer. */
export async function transferInvitation(tx: Database, adjustment: InvitationAdjustment): Promise<void> {
  const { userId, amount } = adjustment
  if (!(await addToInvitationEarnings(tx, userId, -amount))) throw adjustmentError('invitation_too_small')
  await changeWallet(tx, userId, amount)
  if (amount > 0)
    await insertPosting(tx, adjustment, {
      kind: 'invitation_transfer',
      from: 'invitation',
      to: 'wallet',
      amount,
    })
}

/**
 * Sets the remaining limit of a token and posts the difference. Does nothing when the token does not exist. Throws the API
 * error ledger.balance_too_large.
 */
export async function setTokenLimit(tx: Database, limit: TokenLimitAdjustment): Promise<void> {
  const { tokenId, remain, knownRemain } = limit
  const change = await updateTokenRemain(tx, tokenId, before =>
    knownRemain === undefined ? remain : Math.max(before + remain - knownRemain, Math.min(before, 0)),
  )
  if (change && change.after > BALANCE_MAX) throw adjustmentError('balance_too_large')
  const amount = quota(change ? change.after - change.before : 0)
  if (amount > 0)
    await insertPosting(tx, limit, { kind: 'limit', from: 'limits', to: 'token', amount, tokenId })
  if (amount < 0)
    await insertPosting(tx, limit, { kind: 'limit', from: 'token', to: 'limits', amount: -amount, tokenId })
}

function insertPosting(tx: Database, cause: AdjustmentCause, entry: AdjustmentPosting): Promise<unknown> {
  const posting = {
    kind: entry.kind,
    from_account: entry.from,
    to_account: entry.to,
    amount: entry.amount,
    user_id: cause.userId,
    token_id: entry.tokenId ?? null,
    is_token_limited: 0,
    channel_id: null,
    request_id: cause.requestId,
    actor_id: cause.actorId,
    reason: toStoredText(cause.reason),
    created_at: nowSeconds(),
  } as const
  return insertPostings(tx, [posting])
}
