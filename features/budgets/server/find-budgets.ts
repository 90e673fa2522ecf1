import { z } from 'zod'
import { nowSeconds } from '#server/core/clock.ts'
import type { ModelBend } from '#server/core/errors.ts'
import type { Services } from '#server/feature.ts'
import type { BudgetBook, BudgetDelta, BudgetUse } from '#server/ledger/budgets.ts'
import type { BudgetExcess, BudgetShare, HoldRequest, RequestedUse } from '#server/ledger/ledger-command.ts'
import { type FoundBend, findBend, isOfPattern } from './bends.ts'
import { LockedBudgets } from './open-budgets.ts'
import { putBudgets } from './put-budgets.ts'
import { type BudgetRow, createBudgetReader, type PaidBudgetRow } from './queries/budgets.ts'
import {
  addToBudgetWindows,
  insertBudgetUses,
  lockBudgets,
  type SavingUse,
  type WindowDelta,
} from './queries/counts.ts'
import { budgetExceeded, nameOfSubject } from './rejection.ts'
import { createWindowReader } from './windows.ts'

type BookDeps = Pick<Services, 'db' | 'settings' | 'budgetSubject'>

/**
 * Finds what a request takes of which budgets, read as they are now. Throws GatewayError `storage_failed` when the database
 * does not respond.
 */
function createBudgetFinder({ db, settings, budgetSubject }: BookDeps) {
  const windowAt = createWindowReader()
  const readBudgets = createBudgetReader(db)
  const toShare = (budget: PaidBudgetRow, amount: number, use: RequestedUse): BudgetShare => {
    const { id: budgetId, unit, is_hard, bend_percent: percent } = budget
    const window = windowAt(budget, nowSeconds())
    const { since } = window
    const bend = findBend(budget, use)
    const reject = (excess: BudgetExcess, found?: FoundBend) =>
      budgetExceeded({ budget, window, bend: found }, excess, {
        ...settings.current().values,
        subject: nameOfSubject(budget, budgetSubject),
      })
    return {
      ...{ budgetId, window: window.start, unit, amount },
      ...(is_hard && { bound: { since, reject } }),
      ...(bend && { bend: { since, percent, reject: excess => reject(excess, bend) } }),
    }
  }
  /** Of a budget for one model that has replaced it: it no longer bounds the request. */
  const toSavingShare = ({ budgetId }: ModelBend, budgets: readonly BudgetRow[]): BudgetShare[] =>
    budgets
      .filter(({ id }) => id === budgetId)
      .map(budget => ({
        ...{ budgetId, unit: 'savings', amount: 0 },
        window: windowAt(budget, nowSeconds()).start,
      }))
  return async (request: HoldRequest, use: RequestedUse): Promise<readonly BudgetShare[]> => {
    const { userId, tokenId } = request
    const subjects = [{ kind: 'user', id: userId }, ...use.subjects]
    if (tokenId !== null) subjects.push({ kind: 'token', id: tokenId })
    const budgets = await readBudgets(userId, subjects)
    const shares = budgets
      .filter(budget => bounds(budget, use))
      .map(budget => toShare(budget, amountOf(budget, request, use), use))
    const saving = use.bends?.filter(bend => !shares.some(({ budgetId }) => budgetId === bend.budgetId)) ?? []
    return saving.length === 0 ? shares : [...shares, ...saving.flatMap(bend => toSavingShare(bend, budgets))]
  }
}

/** Whether a budget bounds a request. One for a model also bounds those that let it answer in place of theirs. */
const bounds = ({ group, model }: BudgetRow, use: RequestedUse): boolean =>
  (group === '' || group === use.group) &&
  (model === '' || [use.model, ...(use.others ?? [])].some(name => isOfPattern(name, model)))

function amountOf({ unit }: BudgetRow, { amount }: HoldRequest, { tokens }: RequestedUse): number {
  if (unit === 'requests') return 1
  return unit === 'quota' ? amount : Math.ceil(tokens)
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
    const saving = uses.map(use => ({ ...use, saved: savedIn(use) }))
    await addToBudgetWindows(connection, withSavings(deltas, saving))
    await insertBudgetUses(connection, saving)
  },
} as const satisfies Omit<BudgetBook, 'find' | 'put'>

/** What receipts say of replaced models. */
const SavingReceipt = z.object({
  bends: z.array(z.object({ budget_id: z.number(), saved: z.number() })).optional(),
})

/** Null where the budget replaced no model. */
function savedIn({ budgetId, receipt }: BudgetUse): number | null {
  if (receipt.bends === undefined) return null
  const { data } = SavingReceipt.safeParse(receipt)
  return data?.bends?.find(bend => bend.budget_id === budgetId)?.saved ?? null
}

function withSavings(deltas: readonly BudgetDelta[], uses: readonly SavingUse[]): readonly WindowDelta[] {
  const savings = uses.filter(({ saved }) => saved)
  if (savings.length === 0) return deltas
  return deltas.map(delta => ({
    ...delta,
    saved: savings
      .filter(({ budgetId, window }) => budgetId === delta.budgetId && window === delta.window)
      .reduce((sum, { saved }) => sum + (saved ?? 0), 0),
  }))
}
