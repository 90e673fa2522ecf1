import { GatewayError } from '#server/core/errors.ts'
import { sameInBoth } from '#server/core/language.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { BudgetShare } from '#server/ledger/ledger-command.ts'
import type { Budget } from '../../contract.ts'
import { insertBudget, listWindows } from '../queries/budgets.ts'

/** A book that finds no budgets: tests name theirs in the holds. */
export const NO_RULES = { find: async () => [], put: async () => undefined }

/** A budget of this many requests, tokens or units, without windows, of nobody. */
export async function createBudget(
  db: Database,
  amount: number,
  unit: Budget['unit'] = 'quota',
): Promise<number> {
  const { id } = await insertBudget(db, { user_id: 0, amount, unit })
  return id
}

/** Shares of budgets in one window: a budget that is exceeded rejects with its number. */
export const sharesOf = (ids: readonly number[], share: Partial<BudgetShare> = {}): BudgetShare[] =>
  ids.map(budgetId => ({
    budgetId,
    window: 0,
    unit: 'quota',
    amount: 0,
    bound: {
      since: 0,
      reject: ({ limit, taken, needed }) =>
        new GatewayError('budget_exceeded', sameInBoth(`${budgetId}: ${taken} of ${limit}, ${needed} more`)),
    },
    ...share,
  }))

/** What all windows of a budget have used and hold. */
export async function readBudget(db: Database, budgetId: number) {
  const rows = await listWindows(db, [budgetId], 0)
  const sum = (of: 'used' | 'held') => rows.reduce((total, row) => total + row[of], 0)
  return { used: sum('used'), held: sum('held') }
}
