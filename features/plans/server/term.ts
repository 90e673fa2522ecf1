import { type Quota, quota, subtractQuota } from '#server/core/money.ts'

/** Days that were paid for together, or are free. They need not follow one another: a pause lies between two of them. */
export interface Term {
  /** What all days cost: those that had begun before a change of the plan may have cost something else. */
  readonly amount: Quota
  /** 0 or more. */
  readonly days: number
  /** How many of the days have begun. */
  readonly counted: number
}

/** What the days that have begun have earned. All days together earn the amount, whatever its remainder. */
export function earnedBy({ amount, days, counted }: Term): Quota {
  if (counted >= days) return amount
  // The product of amount and days may exceed what a number holds exactly.
  const rest = amount % days
  return quota(((amount - rest) / days) * counted + Math.floor((rest * counted) / days))
}

/** What is owed in further days. */
export const owedIn = (term: Term): Quota => subtractQuota(term.amount, earnedBy(term))
