import { nowSeconds } from '#server/core/clock.ts'
import { quota } from '#server/core/money.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import type { Plan, PlanDraft } from '../contract/plans.ts'
import { toAllowance, windowName } from './allowance.ts'
import { planError } from './errors.ts'
import { countCodes, countUses, deletePlanRow, insertPlan, lockPlan, updatePlanRow } from './queries.ts'
import type { PlanTerms } from './subscription.ts'
import { toPlan } from './view.ts'

function toRow(plan: PlanDraft) {
  checkWindows(plan)
  const terms: PlanTerms = {
    price: quota(plan.price),
    period: { unit: plan.period_unit, count: plan.period_count },
    freeDays: plan.trial_days,
    graceDays: plan.grace_days,
  }
  return {
    name: plan.name,
    description: plan.description,
    price: plan.price,
    terms: JSON.stringify(terms),
    allowance: JSON.stringify(toAllowance(plan)),
    is_offered: plan.is_offered ? 1 : 0,
  } as const
}

function checkWindows({ windows }: PlanDraft): void {
  if (windows.some(({ period, hours }) => (period === 'rolling') !== hours > 0)) throw planError('hours')
  if (new Set(windows.map(windowName)).size < windows.length) throw planError('windows')
}

export const addPlan = async (db: Database, plan: PlanDraft): Promise<Plan> =>
  toPlan(await insertPlan(db, { ...toRow(plan), created_at: nowSeconds() }))

export async function changePlanRow(db: Database, id: number, plan: PlanDraft): Promise<Plan> {
  const row = await updatePlanRow(db, id, toRow(plan))
  if (!row) throw planError('unknown')
  return toPlan(row)
}

export const removePlan = (db: Database, id: number): Promise<void> =>
  inTransaction(db, async tx => {
    if (!(await lockPlan(tx, id))) throw planError('unknown')
    const count = await countUses(tx, id)
    if (count > 0) throw planError('has_subscribers', { count })
    const codes = (await countCodes(tx)).get(id) ?? 0
    if (codes > 0) throw planError('has_codes', { count: codes })
    await deletePlanRow(tx, id)
  })
