import type { ModelBend } from '#server/core/errors.ts'
import type { RequestedUse } from '#server/ledger/ledger-command.ts'
import { thinksMore } from '#server/provider-kit/rules/effort.ts'
import type { BudgetRow } from './queries/budgets.ts'

/** A rule that replaces a model, lowers the effort, or both, from a share of the budget on. */
export type BendRule = Pick<BudgetRow, 'bend_percent' | 'bend_from' | 'bend_to' | 'bend_effort'>

export interface FoundBend {
  readonly from: string
  /** The same model where the rule lowers its effort only. */
  readonly to: string
  readonly effort?: ModelBend['effort']
  /** Only the model that the request is for is replaced; one that may answer in its place is refused. */
  readonly isReplaceable: boolean
}

/** A chain of rules ends here. */
const BENDS_MAX = 4

/** What the rule of a budget does to a request. Undefined: nothing. */
export function findBend(rule: BendRule & Pick<BudgetRow, 'id'>, use: RequestedUse): FoundBend | undefined {
  const { model, others = [], bends } = use
  if (rule.bend_percent === 0 || !bends) return undefined
  const to = substituteOf(rule, model)
  const effort = lowerEffort(rule, to ?? model, use)
  // No budget replaces twice, and none brings back what another one replaced.
  const isReplaceable =
    bends.length < BENDS_MAX && !bends.some(bend => bend.budgetId === rule.id || bend.from === to)
  if ((to ?? effort) !== undefined && isReplaceable)
    return { from: model, to: to ?? model, effort, isReplaceable }
  for (const from of others) {
    const other = substituteOf(rule, from)
    if (other !== undefined) return { from, to: other, isReplaceable: false }
  }
  return undefined
}

/** Undefined where the request does not think more than the rule lets it. Efforts have no price, so only the model decides. */
function lowerEffort(
  { bend_from, bend_effort }: BendRule,
  to: string,
  { model, effort: stated }: RequestedUse,
): FoundBend['effort'] {
  if (bend_effort === '' || stated === undefined || !isOfPattern(model, bend_from || STAR)) return undefined
  return thinksMore(stated, to, bend_effort) ? { from: stated || undefined, to: bend_effort } : undefined
}

const STAR = '*'

/** The model in the place of another one; what a star stands for is kept. Undefined where the rule does not apply. */
export function substituteOf(
  { bend_from, bend_to }: Pick<BendRule, 'bend_from' | 'bend_to'>,
  model: string,
): string | undefined {
  const kept = starOf(model, bend_from || STAR)
  if (kept === undefined) return undefined
  const to = bend_to.split(STAR).join(kept)
  return to === model || to === '' ? undefined : to
}

/** What the star of a pattern stands for in a model; empty for a pattern without one. Undefined where they do not match. */
function starOf(model: string, pattern: string): string | undefined {
  const [start = '', end] = pattern.split(STAR)
  if (end === undefined) return model === start ? '' : undefined
  const isMatch = model.length >= start.length + end.length && model.startsWith(start) && model.endsWith(end)
  return isMatch ? model.slice(start.length, model.length - end.length) : undefined
}

/** Whether a model is one of a pattern, which is a name or has one star. */
export const isOfPattern = (model: string, pattern: string): boolean => starOf(model, pattern) !== undefined

export const countStars = (pattern: string): number => pattern.split(STAR).length - 1

/** Whether a rule can be read: a star on the right stands for the one on the left. */
export function isBendRule({ bend_percent, bend_from, bend_to, bend_effort }: BendRule): boolean {
  if (bend_percent === 0) return true
  return (
    `${bend_to}${bend_effort}` !== '' &&
    countStars(bend_from) <= 1 &&
    countStars(bend_to) <= countStars(bend_from)
  )
}
