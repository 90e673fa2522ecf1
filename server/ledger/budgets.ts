import type { GatewayError } from '../core/errors.ts'
import type { HoldRow } from '../db/billing/holds.ts'
import type { Connection, Database } from '../db/engine/database.ts'
import type {
  Bill,
  BudgetShare,
  BudgetSubject,
  HeldShares,
  HoldRequest,
  LogReceipt,
  RequestedUse,
} from './ledger-command.ts'

/** Finds budgets, and counts them in the transactions of the ledger. */
export interface BudgetBook extends BudgetRules {
  /** What a request takes of which budgets. */
  find(request: HoldRequest, use: RequestedUse): Promise<HeldShares>
  /** Locks budgets until the transaction ends, on PostgreSQL. */
  lock(connection: Connection, ids: readonly number[]): Promise<unknown>
  /** What is left of them. `deltas`: what the transaction has changed and not written. */
  open(connection: Connection, shares: HeldShares, deltas: Iterable<BudgetDelta>): Promise<OpenBudgets>
  write(connection: Connection, deltas: readonly BudgetDelta[], uses: readonly BudgetUse[]): Promise<void>
}

/** Budgets that features set for subjects of their own. */
export interface BudgetRules {
  /** Sets all budgets of a subject. Those with the name of an earlier one keep its use so far. */
  put(tx: Database, subject: PaidSubject, rules: readonly BudgetRule[]): Promise<void>
}

/** `userId`: the account that pays. */
export type PaidSubject = BudgetSubject & { readonly userId: number }

/** What may be used in each window. */
export interface BudgetRule {
  /** Unique among those of the subject; shown in rejections. */
  readonly name: string
  readonly unit: Exclude<BudgetShare['unit'], 'savings'>
  /** In the unit. */
  readonly amount: number
  readonly period: 'none' | 'rolling' | 'hour' | 'day' | 'week' | 'month'
  /** Of a rolling window. */
  readonly hours?: number
  /** Whether the payer cannot change it. Default: true. */
  readonly isManaged?: boolean
}

export interface OpenBudgets {
  /** Takes all shares of each demand, or none of them and returns why. */
  take<Demand extends { readonly shares: HeldShares }>(
    demands: readonly Demand[],
  ): ReadonlyMap<Demand, GatewayError>
  add(share: Pick<BudgetDelta, 'budgetId' | 'window'>, amount: number): void
}

/** Signed amounts to add to a window, by the Unix second at which it begins, in the budget's unit. */
export type BudgetDelta = Readonly<Record<'budgetId' | 'window' | 'used' | 'held', number>>

/** What a request used of a window. */
export type BudgetUse = Omit<BudgetDelta, 'used' | 'held'> & {
  readonly requestId: string
  readonly amount: number
  readonly receipt: LogReceipt
}

/** The shares as the row of a hold keeps them. */
export const writeShares = (shares: HeldShares, amount: number): string =>
  JSON.stringify(shares.map(share => [share.budgetId, share.window, share.unit, share.amount, amount]))

type StoredShare = readonly [number, number, BudgetShare['unit'], number, number]
type StoredShares = Pick<HoldRow, 'budgets' | 'amount'>

/** The shares that a hold of this amount takes. */
export function readShares({ budgets, amount }: StoredShares): BudgetShare[] {
  const stored: readonly StoredShare[] = budgets === null ? [] : JSON.parse(budgets)
  return stored.map(([budgetId, window, unit, share, atAmount]) => {
    // Tokens grow with the money when a stream extends its hold.
    const growth = unit === 'tokens' && atAmount > 0 ? Math.max(amount / atAmount, 1) : 1
    return { budgetId, window, unit, amount: unit === 'quota' ? amount : Math.ceil(share * growth) }
  })
}

/** What a hold takes anew: the shares of its row, or what an extension by an amount adds to them. */
export function sharesToTake({ budgets: shares }: HoldRequest, row: StoredShares, by?: number): HeldShares {
  const before = by === undefined ? [] : readShares({ ...row, amount: row.amount - by })
  return readShares(row).map((share, index) => ({
    ...share,
    amount: share.amount - (before[index]?.amount ?? 0),
    bound: shares?.[index]?.bound,
    bend: by === undefined ? shares?.[index]?.bend : undefined,
  }))
}

/** What an answered request used, in the unit of its budget. */
export function usedOf({ unit }: BudgetShare, { amount, entry }: Bill): number {
  if (unit === 'quota' || unit === 'savings') return unit === 'quota' ? amount : 0
  return unit === 'tokens' ? Math.ceil(entry.promptTokens + entry.completionTokens) : 1
}
