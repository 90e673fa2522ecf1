import { fromCells } from '#contract/entities/stored.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import { type Budget, BudgetFields } from '../contract.ts'
import { type BudgetRow, listWindows, type WindowRow } from './queries/budgets.ts'
import { type BudgetWindow, resetOf, windowAt } from './windows.ts'

/** What the windows that count have used and hold, and when the first of that began. */
export function usageOf(
  { id }: Pick<BudgetRow, 'id'>,
  { since }: BudgetWindow,
  windows: readonly WindowRow[],
) {
  const counted = windows.filter(
    ({ budget_id, starts_at, used, held }) => budget_id === id && starts_at >= since && used + held > 0,
  )
  return {
    used: counted.reduce((sum, { used }) => sum + used, 0),
    held: counted.reduce((sum, { held }) => sum + held, 0),
    saved: windows
      .filter(({ budget_id, starts_at }) => budget_id === id && starts_at >= since)
      .reduce((sum, { saved }) => sum + saved, 0),
    oldest: counted[0]?.starts_at,
  }
}

/** Budgets as the API shows them. */
export async function toBudgets(db: Database, rows: readonly BudgetRow[]): Promise<Budget[]> {
  if (rows.length === 0) return []
  const now = nowSeconds()
  const current = rows.map(row => ({ row, window: windowAt(row, now) }))
  const since = Math.min(...current.map(({ window }) => window.since))
  const ids = rows.map(({ id }) => id)
  const windows = await listWindows(db, ids, since)
  return current.map(({ row, window }) => {
    const { used, held, saved, oldest } = usageOf(row, window, windows)
    const { id, subject, subject_id, unit, is_managed, created_at } = row
    return {
      ...fromCells(BudgetFields, row),
      id,
      subject,
      subject_id,
      unit,
      is_managed: is_managed === 1,
      used,
      held,
      saved,
      resets_time: resetOf(row, window, oldest) ?? 0,
      created_time: created_at,
    }
  })
}
