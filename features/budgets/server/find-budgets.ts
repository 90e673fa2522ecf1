import { withStorageTimeout } from '#server/core/async.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { Services } from '#server/feature.ts'
import type { BudgetBook } from '#server/ledger/budgets.ts'
import type { BudgetShare, HoldRequest, RequestedUse } from '#server/ledger/ledger-command.ts'
import { LockedBudgets } from './open-budgets.ts'
import { putBudgets } from './put-budgets.ts'
import { type BudgetRow, listBudgetsOfRequest } from './queries/budgets.ts'
import { addToBudgetWindows, insertBudgetUses, lockBudgets } from './queries/counts.ts'
import { budgetExceeded, nameOfSubject } from './rejection.ts'
import { createWindowReader } from './windows.ts'

type BookDeps = Pick<Services, 'db' | 'settings' | 'budgetSubject'>

/**
 * Finds what a request takes of which budgets, read as they are now. Throws GatewayError `storage_failed` when the database
 * does not respond.
 */
function createBudgetFinder({ db, settings, budgetSubject }: BookDeps) {
  const windowAt = createWindowReader()
  const toShare = (budget: BudgetRow, amount: number): BudgetShare => {
    const { id: budgetId, unit, is_hard } = budget
    const window = windowAt(budget, nowSeconds())
    const share = { budgetId, window: window.start, unit, amount }
    if (!is_hard) return share
    return {
      ...share,
      bound: {
        since: window.since,
        reject: excess =>
          budgetExceeded(budget, window, excess, {
            ...settings.current().values,
            subject: nameOfSubject(budget, budgetSubject),
          }),
      },
    }
  }
  return async (request: HoldRequest, use: RequestedUse): Promise<readonly BudgetShare[]> => {
    const { userId, tokenId } = request
    const subjects = [{ kind: 'user', id: userId }, ...use.subjects]
    if (tokenId !== null) subjects.push({ kind: 'token', id: tokenId })
    const budgets = await withStorageTimeout(listBudgetsOfRequest(db, userId, subjects))
    return budgets
      .filter(({ group, model }) => isOneOf(group, use.group) && isOneOf(model, use.model))
      .map(budget => toShare(budget, amountOf(budget, request, use)))
  }
}

/** An empty text names any. */
const isOneOf = (named: string, used: string): boolean => named === '' || named === used

function amountOf({ unit }: BudgetRow, { amount }: HoldRequest, { tokens }: RequestedUse): number {
  if (unit === 'requests') return 1
  return unit === 'quota' ? amount : tokens
}

/** The budgets of the ledger. */
export const createBudgetBook = (services: BookDeps): BudgetBook => ({
  ...COUNTS,
  find: createBudgetFinder(services),
  put: (tx, subject, rules) => putBudgets(tx, { subject, rules, settings: services.settings }),
})

/** How the transactions of the ledger count budgets. */
export const COUNTS = {
  lock: lockBudgets,
  open: LockedBudgets.read,
  async write(connection, deltas, uses) {
    await addToBudgetWindows(connection, deltas)
    await insertBudgetUses(connection, uses)
  },
} as const satisfies Omit<BudgetBook, 'find' | 'put'>
