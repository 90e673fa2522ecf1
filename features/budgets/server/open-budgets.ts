import type { GatewayError } from '#server/core/errors.ts'
import type { Connection } from '#server/db/engine/database.ts'
import type { BudgetDelta, OpenBudgets } from '#server/ledger/budgets.ts'
import type { BudgetShare, HeldShares } from '#server/ledger/ledger-command.ts'
import { type BudgetState, readBudgetStates } from './queries/counts.ts'

/**
 * What one transaction finds and takes of budgets, whose rows it has locked. So this is the only place that counts them, and
 * a hold takes all of its shares or none.
 */
export class LockedBudgets implements OpenBudgets {
  private readonly states: ReadonlyMap<string, BudgetState>
  private readonly taken = new Map<number, Map<number, number>>()

  private constructor(states: readonly BudgetState[]) {
    this.states = new Map(states.map(state => [toKey(state.budget_id, state.since), state]))
  }

  /** `deltas`: what the transaction has changed and not written. */
  static async read(connection: Connection, shares: HeldShares, deltas: Iterable<BudgetDelta>) {
    const states = new Map<string, Pick<BudgetState, 'budget_id' | 'since'>>()
    for (const { budgetId, bound, bend = bound } of shares)
      if (bend) states.set(toKey(budgetId, bend.since), { budget_id: budgetId, since: bend.since })
    const budgets = new LockedBudgets(await readBudgetStates(connection, [...states.values()]))
    for (const { used, held, ...window } of deltas) budgets.add(window, used + held)
    return budgets
  }

  /** Takes all shares of each demand, or none of them and returns why: where that helps, that another model is to be tried. */
  take<Demand extends { readonly shares: HeldShares }>(
    demands: readonly Demand[],
  ): ReadonlyMap<Demand, GatewayError> {
    const excess = new Map<Demand, GatewayError>()
    for (const demand of demands) {
      const rejections = demand.shares.flatMap(share => [
        ...this.judge(share, share.bend),
        ...this.judge(share, share.bound),
      ])
      const rejection = rejections.find(({ bend }) => bend) ?? longest(rejections)
      if (rejection) excess.set(demand, rejection)
      else for (const share of demand.shares) this.add(share, share.amount)
    }
    return excess
  }

  private judge({ budgetId, amount: needed }: BudgetShare, bound: ShareBound): readonly GatewayError[] {
    const state = bound && this.states.get(toKey(budgetId, bound.since))
    if (!state) return []
    const limit = Math.floor((state.amount * (bound.percent ?? PERCENT)) / PERCENT)
    let { taken } = state
    const oldest = state.oldest ?? undefined
    for (const [window, amount] of this.taken.get(budgetId) ?? []) if (window >= bound.since) taken += amount
    return taken + needed <= limit ? [] : [bound.reject({ limit, taken, needed, oldest })]
  }

  add({ budgetId, window }: Pick<BudgetDelta, 'budgetId' | 'window'>, amount: number): void {
    const windows = this.taken.get(budgetId) ?? new Map<number, number>()
    windows.set(window, (windows.get(window) ?? 0) + amount)
    this.taken.set(budgetId, windows)
  }
}

/** The one that rejects until the last: whoever waits for a shorter one is rejected again. */
const longest = (rejections: readonly GatewayError[]): GatewayError | undefined =>
  rejections.reduce<GatewayError | undefined>(
    (last, next) => (last && secondsOf(last) >= secondsOf(next) ? last : next),
    undefined,
  )

const secondsOf = ({ retryAfterSeconds = Number.POSITIVE_INFINITY }: GatewayError): number =>
  retryAfterSeconds

/** In percent. */
const PERCENT = 100

type ShareBound = (NonNullable<BudgetShare['bound']> & { readonly percent?: number }) | undefined

const toKey = (budgetId: number, since: number): string => `${budgetId} ${since}`
