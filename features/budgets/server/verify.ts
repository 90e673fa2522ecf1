import { inSnapshot } from '#server/db/billing/audit.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Proof } from '#server/feature.ts'
import { readShares } from '#server/ledger/budgets.ts'
import {
  type BudgetDifference,
  findSavingDifferences,
  findUncharged,
  findUseDifferences,
  readHolds,
} from './queries/verify.ts'

const LINES_MAX = 100

/** Recomputes what every budget has used from the charges of its requests, and what it holds from the open holds. */
export function auditBudgets(db: Database): Promise<readonly BudgetDifference[]> {
  return inSnapshot(db, async tx => [
    ...(await findUseDifferences(tx)),
    ...(await findSavingDifferences(tx)),
    ...(await findUncharged(tx)),
    ...(await findHoldDifferences(tx)),
  ])
}

/** The part of budgets in `tollgate verify`. */
export async function verifyBudgets(db: Database): Promise<Proof> {
  const differences = await auditBudgets(db)
  return {
    drift: differences.reduce((sum, { found, expected }) => sum + Math.abs(found - expected), 0),
    lines: differences
      .slice(0, LINES_MAX)
      .map(
        ({ balance, budgetId, startsAt, found, expected }) =>
          `${balance} of budget ${budgetId} from ${startsAt} on is ${found}, must be ${expected}`,
      ),
  }
}

async function findHoldDifferences(tx: Database): Promise<readonly BudgetDifference[]> {
  const { holds, windows, budgetIds } = await readHolds(tx)
  const sums = new Map<string, { budgetId: number; startsAt: number; found: number; expected: number }>()
  const sumOf = (budgetId: number, startsAt: number) => {
    const key = `${budgetId} ${startsAt}`
    const sum = sums.get(key) ?? { budgetId, startsAt, found: 0, expected: 0 }
    sums.set(key, sum)
    return sum
  }
  for (const { budget_id, starts_at, held } of windows) sumOf(budget_id, starts_at).found += held
  for (const { budgetId, window, amount } of holds.flatMap(readShares))
    if (budgetIds.has(budgetId)) sumOf(budgetId, window).expected += amount
  return [...sums.values()]
    .filter(({ found, expected }) => found !== expected)
    .map(sum => ({ balance: 'budget_windows.held', ...sum }))
}
