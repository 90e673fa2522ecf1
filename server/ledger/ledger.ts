import { withStorageTimeout } from '../core/async.ts'
import { addQuota, type Quota, quota } from '../core/money.ts'
import { findPayerBalances } from '../db/billing/balances.ts'
import { findOpenHolds } from '../db/billing/holds.ts'
import type { Database } from '../db/engine/database.ts'
import type { BudgetBook, BudgetRules } from './budgets.ts'
import { type CloseListener, commit, type LedgerDeps, withRetries } from './commit.ts'
import type { Bill, FailedRequestLog, Hold, HoldRequest } from './ledger-command.ts'
import { LedgerQueue, type LedgerStats, type SubscriptionFinder } from './queue.ts'

export type { Bill, FailedRequestLog, Hold, HoldRequest, LogEntry, LogReceipt } from './ledger-command.ts'

/** All money that requests move goes through here. Every promise resolves after its change is durable. */
export interface Ledger {
  /**
   * Reserves the amount on the wallet and, for a limited token, on the token: both or none. They may drop below zero when
   * they have the minimum, and the hold is then short.
   * Throws GatewayError too_many_requests, insufficient_user_quota, insufficient_token_quota, budget_exceeded or storage_failed.
   */
  reserve(request: HoldRequest): Promise<Hold>
  /**
   * Reserves more for an open hold, and all of it anew for one that a failover of the database lost. Undefined when wallet or
   * token cannot afford it, or the hold is closed.
   */
  extend(hold: Hold, by: Quota): Promise<Hold | undefined>
  /** The covered part of an open hold, or of `demand` in its place: less while the payer cannot pay more. */
  affordable(hold: Hold, demand?: Quota): Promise<Quota>
  /**
   * Charges the bill, returns the rest of the hold and writes the log row, all in one transaction. A second call finds
   * the hold closed and changes nothing. Throws storage_failed after several attempts.
   */
  settle(hold: Hold, bill: Bill): Promise<unknown>
  /**
   * Returns the full hold; with `failure`, also writes a log row of type 5, even for a hold that a failover lost. A second call
   * changes nothing.
   */
  release(hold: Hold, failure?: FailedRequestLog): Promise<unknown>
  /** Lets budgets bound each request that states its use. */
  boundBy(book: BudgetBook): void
  /** Throws without budgets. */
  budgetRules(): BudgetRules
  /** Lets subscriptions pay for requests that state their use. */
  paidBy(finder: SubscriptionFinder): void
  /** Calls a listener with the holds that were settled or released, after each such commit. It must not throw. */
  onClosed(listener: CloseListener): void
  /** Whether the last commit failed: the storage takes no writes, or not that one. */
  isFailing(): boolean
  stats(): LedgerStats
  /** Rejects new holds from now on and resolves when all pending commands are written. */
  close(): Promise<void>
}

export function openLedger(deps: LedgerDeps): Ledger {
  const closeListeners: CloseListener[] = []
  const budgets: { book?: BudgetBook } = {}
  const committing = { ...deps, closeListeners, budgets }
  const queue = new LedgerQueue({
    commit: commands => withRetries(() => commit(committing, commands)),
    log: deps.log,
  })
  return {
    reserve: request => queue.reserve(request),
    async extend(hold, by) {
      const rejection = await queue.submit({ kind: 'extend', hold, by })
      return rejection ? undefined : { ...hold, amount: addQuota(hold.amount, by) }
    },
    affordable: (hold, demand = hold.amount) => findAffordable(deps.db, hold, demand),
    settle: (hold, bill) => queue.submit({ kind: 'settle', hold, bill }),
    release: (hold, failure) =>
      queue.submit(failure ? { kind: 'release', hold, failure } : { kind: 'release', hold }),
    boundBy(book) {
      budgets.book = book
      queue.boundBy(book)
    },
    budgetRules() {
      if (!budgets.book) throw new Error('no feature counts budgets')
      return budgets.book
    },
    paidBy: finder => queue.paidBy(finder),
    onClosed: listener => void closeListeners.push(listener),
    isFailing: () => queue.isFailing(),
    stats: () => queue.stats(),
    close: () => queue.close(),
  }
}

/**
 * The amount of an open hold without the part that takes wallet or token below zero. A hold without a row takes nothing. One
 * that a subscription covers is bounded by budgets alone, which an extension asks.
 */
async function findAffordable(
  db: Database,
  { requestId, userId, tokenId, isTokenLimited, amount, paidBy }: Hold,
  demand: Quota,
): Promise<Quota> {
  if (paidBy) return demand
  const [open, { wallet, token }] = await withStorageTimeout(
    Promise.all([
      findOpenHolds(db, [requestId]),
      findPayerBalances(db, userId, isTokenLimited ? tokenId : null),
    ]),
  )
  const held = open.length > 0 ? amount : 0
  return quota(Math.max(Math.min(demand, held + Math.min(wallet, token)), 0))
}
