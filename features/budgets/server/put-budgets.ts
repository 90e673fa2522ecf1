import { nowSeconds } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Services } from '#server/feature.ts'
import type { BudgetRule, PaidSubject } from '#server/ledger/budgets.ts'
import { deleteBudgets, insertBudget, listBudgetsOf, updateBudgetRow } from './queries/budgets.ts'

interface PutInput extends Pick<Services, 'settings'> {
  readonly subject: PaidSubject
  readonly rules: readonly BudgetRule[]
}

/** Sets all budgets of a subject of a feature. Those with the name of an earlier one keep its use so far. */
export async function putBudgets(tx: Database, { subject, rules, settings }: PutInput): Promise<void> {
  const before = new Map((await listBudgetsOf(tx, subject)).map(row => [row.name, row]))
  for (const { hours = 0, isManaged = true, ...rule } of rules) {
    const cells = { ...rule, hours }
    const row = before.get(rule.name)
    before.delete(rule.name)
    if (row) await updateBudgetRow(tx, row.id, cells)
    else
      await insertBudget(tx, {
        ...cells,
        subject: subject.kind,
        subject_id: subject.id,
        user_id: subject.userId,
        time_zone: settings.current().values.ReportingTimeZone,
        is_managed: isManaged ? 1 : 0,
        created_at: nowSeconds(),
      })
  }
  await deleteBudgets(
    tx,
    [...before.values()].map(({ id }) => id),
  )
}
