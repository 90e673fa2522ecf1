import type { Generated } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import type { Budget, Period } from '../contract.ts'

/** What a subject may use in each window of time. */
export interface BudgetTable {
  id: Generated<number>
  /** The account that pays for what it bounds. */
  user_id: number
  unit: Budget['unit']
  /** In the budget's unit. */
  amount: number
  name: Generated<string>
  /** `user`, `token`, or a kind of a feature. */
  subject: Generated<string>
  subject_id: Generated<number>
  /** Empty: any. */
  group: Generated<string>
  /** As requests name it. Empty: any. */
  model: Generated<string>
  period: Generated<Period>
  /** Of a rolling window. */
  hours: Generated<number>
  time_zone: Generated<string>
  /** 0: it only counts and warns. */
  is_hard: Generated<0 | 1>
  is_enabled: Generated<0 | 1>
  /** Set by an administrator, so its owner cannot change it. */
  is_managed: Generated<0 | 1>
  /** 0: no warning. */
  warn_percent: Generated<number>
  /** Unix seconds of the last warning. */
  warned_at: Generated<number>
  created_at: Generated<number>
  /** Share of the amount from which on models are replaced or think less; 0: never. */
  bend_percent: Generated<number>
  /** A model, or a pattern with a star. Empty: any. */
  bend_from: Generated<string>
  /** Empty: the same model. */
  bend_to: Generated<string>
  /** The most that requests may ask for then. Empty: any. */
  bend_effort: Generated<Budget['bend_effort']>
}

/** The use of a budget that began in one window. Changes only under the lock of the budget. */
interface BudgetWindowTable {
  budget_id: number
  /** Unix seconds. */
  starts_at: number
  used: number
  held: number
  /** Quota units, of requests whose model it replaced. */
  saved: Generated<number>
}

/** What a request used of a budget: append-only, in the transaction of its charge. */
interface BudgetUseTable {
  budget_id: number
  starts_at: number
  /** Empty: the sum of requests whose rows were deleted. */
  request_id: string
  amount: number
  /** Quota units. Null where it replaced no model. */
  saved: Generated<number | null>
}

/** A budget that is gone, until its windows and uses are, too. */
interface DeletedBudgetTable {
  budget_id: number
}

/** A type, since an interface does not join the tables of the base. */
type BudgetTables = {
  budgets: BudgetTable
  budget_windows: BudgetWindowTable
  budget_uses: BudgetUseTable
  deleted_budgets: DeletedBudgetTable
}

/** The database with the tables of this feature. */
export const withBudgetTables = (db: Database) => db.withTables<BudgetTables>()
