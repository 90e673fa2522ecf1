import type { TimeRange } from '#server/db/logs/log-filter.ts'
import type { Cause } from './causes.ts'
import type { CostComparison } from './compare.ts'

/** The balances of an account between which it was charged. */
export interface ComparedBalances {
  readonly channel_id: number
  readonly first_balance: number
  readonly second_balance: number
  /** Dollars paid into the account in between. */
  readonly top_ups: number
}

/** A stored reconciliation. */
export interface ReconciliationResult extends CostComparison {
  readonly causes: readonly Cause[]
  /** Absent for bills. */
  readonly balances?: ComparedBalances
}

export interface MadeReconciliation {
  /** Empty for balances. */
  readonly files: readonly string[]
  readonly channels: readonly { readonly id: number; readonly name: string }[]
  readonly range: TimeRange
  readonly result: ReconciliationResult
}
