import { bulkStatement } from '#server/db/engine/bulk.ts'
import type { BudgetDelta, BudgetUse } from '#server/ledger/budgets.ts'

export const lockBudgets = bulkStatement<number>({
  text: ids => `select id from budgets where id in (values ${ids}) order by id for update`,
  addCells: (id, cells) => cells.push(id),
  cellType: 'bigint',
})

/** A change of a window, with the quota units that replaced models saved. */
export type WindowDelta = BudgetDelta & { readonly saved?: number }

/** Adds to windows, and begins those that are new. A budget that is gone takes nothing. Each window at most once. */
export const addToBudgetWindows = bulkStatement<WindowDelta>({
  text: rows => `insert into budget_windows (budget_id, starts_at, used, held, saved)
    select delta.column1, delta.column2, delta.column3, delta.column4, delta.column5
      from (values ${rows}) as delta join budgets on budgets.id = delta.column1 where true
    on conflict (budget_id, starts_at) do update
      set used = budget_windows.used + excluded.used, held = budget_windows.held + excluded.held,
        saved = budget_windows.saved + excluded.saved`,
  addCells: ({ budgetId, window, used, held, saved = 0 }, cells) =>
    cells.push(budgetId, window, used, held, saved),
  cellType: 'bigint',
})

/** A use with the quota units that a replaced model would have cost more. Null: the budget replaced none. */
export type SavingUse = Omit<BudgetUse, 'receipt'> & { readonly saved: number | null }

/** Keeps what requests used, by which `verify` recomputes the windows. */
export const insertBudgetUses = bulkStatement<SavingUse>({
  text: rows => `insert into budget_uses (budget_id, starts_at, request_id, amount, saved)
    select budgets.id, cast(entry.column2 as bigint), entry.column3, cast(entry.column4 as bigint),
      cast(nullif(entry.column5, '') as bigint)
    from (values ${rows}) as entry join budgets on budgets.id = cast(entry.column1 as bigint)`,
  addCells: ({ budgetId, window, requestId, amount, saved }, cells) =>
    cells.push(String(budgetId), String(window), requestId, String(amount), String(saved ?? '')),
  cellType: 'text',
})

/** A budget with what the windows since a time have used and hold. */
export interface BudgetState {
  readonly budget_id: number
  readonly since: number
  readonly amount: number
  readonly taken: number
  /** The first of these windows that has used or holds anything. */
  readonly oldest: number | null
}

export const readBudgetStates = bulkStatement<Pick<BudgetState, 'budget_id' | 'since'>, BudgetState>({
  text: rows => `select demand.column1 as budget_id, demand.column2 as since, budgets.amount as amount,
      (select cast(coalesce(sum(used + held), 0) as bigint) from budget_windows
        where budget_windows.budget_id = budgets.id and starts_at >= demand.column2) as taken,
      (select min(starts_at) from budget_windows where budget_windows.budget_id = budgets.id
        and starts_at >= demand.column2 and used + held > 0) as oldest
    from (values ${rows}) as demand join budgets on budgets.id = demand.column1`,
  addCells: ({ budget_id, since }, cells) => cells.push(budget_id, since),
  cellType: 'bigint',
})
