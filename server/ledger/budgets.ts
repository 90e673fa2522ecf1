import type { GatewayError } from '../core/errors.ts'
import { type BudgetState, readBudgetStates } from '../db/billing/budgets.ts'
import type { HoldRow } from '../db/billing/holds.ts'
import type { Connection } from '../db/engine/database.ts'
import type { Bill, BudgetShare, HoldRequest } from './ledger-command.ts'

/**
 * What one transaction finds and takes of budgets, whose rows it has locked. So this is the only place that counts them, and
 * a hold takes all of its shares or none.
 */
export class OpenBudgets {
  private readonly states: ReadonlyMap<string, BudgetState>
  private readonly taken = new Map<number, Map<number, number>>()

  private constructor(states: readonly BudgetState[]) {
    this.states = new Map(states.map(state => [toKey(state.budget_id, state.since), state]))
  }

  static async read(connection: Connection, shares: readonly BudgetShare[]): Promise<OpenBudgets> {
    const states = new Map<string, Pick<BudgetState, 'budget_id' | 'since'>>()
    for (const { budgetId, bound } of shares)
      if (bound) states.set(toKey(budgetId, bound.since), { budget_id: budgetId, since: bound.since })
    return new OpenBudgets(await readBudgetStates(connection, [...states.values()]))
  }

  /** Takes all shares of each demand, or none of them and returns why. */
  take<Demand extends { readonly shares: readonly BudgetShare[] }>(
    demands: readonly Demand[],
  ): ReadonlyMap<Demand, GatewayError> {
    const excess = new Map<Demand, GatewayError>()
    for (const demand of demands) {
      const rejection = demand.shares.map(share => this.judge(share)).find(error => error)
      if (rejection) excess.set(demand, rejection)
      else for (const share of demand.shares) this.add(share, share.amount)
    }
    return excess
  }

  giveBack(shares: readonly BudgetShare[]): void {
    for (const share of shares) this.add(share, -share.amount)
  }

  private judge({ budgetId, amount: needed, bound }: BudgetShare): GatewayError | undefined {
    const state = bound && this.states.get(toKey(budgetId, bound.since))
    if (!state) return undefined
    const { amount: limit } = state
    let { taken } = state
    for (const [window, amount] of this.taken.get(budgetId) ?? []) if (window >= bound.since) taken += amount
    return taken + needed <= limit ? undefined : bound.reject({ limit, taken, needed })
  }

  private add({ budgetId, window }: BudgetShare, amount: number): void {
    const windows = this.taken.get(budgetId) ?? new Map<number, number>()
    windows.set(window, (windows.get(window) ?? 0) + amount)
    this.taken.set(budgetId, windows)
  }
}

const toKey = (budgetId: number, since: number): string => `${budgetId} ${since}`

/** The shares as the row of a hold keeps them. */
export const writeShares = (shares: readonly BudgetShare[], amount: number): string =>
  JSON.stringify(shares.map(share => [share.budgetId, share.window, share.unit, share.amount, amount]))

type StoredShare = readonly [number, number, BudgetShare['unit'], number, number]

type StoredShares = Pick<HoldRow, 'budgets' | 'amount'>

/** The shares that a hold of this amount takes. */
export function readShares({ budgets, amount }: StoredShares): BudgetShare[] {
  if (budgets === null) return []
  const stored: readonly StoredShare[] = JSON.parse(budgets)
  return stored.map(([budgetId, window, unit, share, atAmount]) => ({
    budgetId,
    window,
    unit,
    amount: shareAt(unit, share, { amount, atAmount }),
  }))
}

/** Tokens grow with the money when a stream extends its hold. */
function shareAt(
  unit: BudgetShare['unit'],
  share: number,
  { amount, atAmount }: { readonly amount: number; readonly atAmount: number },
): number {
  if (unit === 'quota') return amount
  return unit === 'tokens' && amount > atAmount && atAmount > 0
    ? Math.ceil((share * amount) / atAmount)
    : share
}

/** What a hold takes anew: the shares of its row, or what an extension by an amount adds to them. */
export function sharesToTake(
  { budgets: shares }: Pick<HoldRequest, 'budgets'>,
  row: StoredShares,
  by?: number,
): readonly BudgetShare[] {
  const before = by === undefined ? [] : readShares({ ...row, amount: row.amount - by })
  return readShares(row).map((share, index) => ({
    ...share,
    amount: share.amount - (before[index]?.amount ?? 0),
    bound: shares?.[index]?.bound,
  }))
}

/** What an answered request used, in the unit of its budget. */
export function usedOf({ unit }: BudgetShare, { amount, entry }: Bill): number {
  if (unit === 'quota') return amount
  return unit === 'tokens' ? Math.ceil(entry.promptTokens + entry.completionTokens) : 1
}
