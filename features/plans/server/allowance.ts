import type { BudgetRule } from '#server/ledger/budgets.ts'
import type { PlanDraft, PlanWindow } from '../contract/plans.ts'
import type { PlanTerms } from './subscription.ts'

/** What a subscription covers. A copy of the plan's, so that a change of the plan changes no running subscription. */
export interface Allowance {
  /** The name of the plan. */
  readonly name: string
  readonly windows: readonly PlanWindow[]
  readonly carryOverPercent: number
  readonly groups: readonly string[]
  readonly models: readonly string[]
  readonly whenUsedUp: PlanDraft['when_used_up']
  readonly renews: boolean
}

/** The cast is safe, since only `toAllowance` writes the column. */
export const readAllowance = (text: string): Allowance => JSON.parse(text) as Allowance
/** The cast is safe, since only `toRow` of a plan writes the column. */
export const readTerms = (text: string): PlanTerms => JSON.parse(text) as PlanTerms

export const toAllowance = (plan: PlanDraft): Allowance => ({
  name: plan.name,
  windows: plan.windows,
  carryOverPercent: plan.carry_over_percent,
  groups: plan.groups,
  models: plan.models,
  whenUsedUp: plan.when_used_up,
  renews: plan.renews,
})

/** Whether it covers requests of a group for a model. */
export const includes = (
  { groups, models }: Allowance,
  use: { readonly group: string; readonly model: string },
): boolean =>
  (groups.length === 0 || groups.includes(use.group)) &&
  (models.length === 0 || models.some(pattern => matches(pattern, use.model)))

const matches = (pattern: string, model: string): boolean =>
  pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern

const LABELS = { day: 'daily', week: 'weekly', month: 'monthly', term: 'term' }

/** As rejections name it. Without the name of the plan: what is used of a window stays used when the plan changes. */
export function windowName({ period, hours, unit }: PlanWindow): string {
  const label = period === 'rolling' ? `${hours}-hour` : LABELS[period]
  return `plan, ${label}${unit === 'quota' ? '' : ` ${unit}`}`
}

/** A window of a term has the number of the term in its name, so that it begins anew with each payment. */
export const termWindowName = (window: PlanWindow, termNumber: number): string =>
  `${windowName(window)} ${termNumber}`

/** Windows as budgets. `carried`: what a window of the last term adds, by its name. */
export const toBudgetRules = (
  { windows }: Allowance,
  termNumber: number,
  carried: ReadonlyMap<string, number>,
): BudgetRule[] =>
  windows.map(window => {
    const { period, hours, unit, amount } = window
    if (period !== 'term') return { name: windowName(window), unit, amount, period, hours }
    const more = carried.get(windowName(window)) ?? 0
    return { name: termWindowName(window, termNumber), unit, amount: amount + more, period: 'none' }
  })
