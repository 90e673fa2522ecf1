import type { OwnAnalyticsFigures } from '#features/analytics/contract.ts'
import type { Bill } from '../contract.ts'

/** What was used under one name, such as that of a member. */
export interface GroupLine {
  /** Distinguishes the lines of one bill; names need not be unique. */
  readonly id: string
  readonly name: string
  /** The plan that paid; empty: the balance did. */
  readonly plan: string
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Quota units; what a plan paid is at list price. */
  readonly amount: number
}

interface Group {
  readonly name: string
  readonly value: string
  /** The name of a plan, or empty. */
  readonly second_value: string
  readonly figures: OwnAnalyticsFigures
}

interface BillNames {
  /** The name of a group. */
  nameOf(group: Pick<Group, 'name' | 'value'>): string
  /** Of what the groups leave of the charges. */
  readonly other: string
}

/**
 * The charges of a bill by any group, largest first, and what plans paid beside them. The last charge is what the groups leave,
 * such as requests of the last minute: the charges add up to the bill whatever the analytics have counted.
 */
export function groupLines(
  groups: readonly Group[],
  { charged, requests }: Pick<Bill, 'charged' | 'requests'>,
  { nameOf, other }: BillNames,
): { readonly charges: readonly GroupLine[]; readonly covered: readonly GroupLine[] } {
  const lines = groups
    .map(group => toLine(group, nameOf(group)))
    .filter(({ requests: count, amount }) => count > 0 || amount !== 0)
    .toSorted((a, b) => b.amount - a.amount || a.name.localeCompare(b.name))
  const covered = lines.filter(({ plan }) => plan !== '')
  const paid = lines.filter(({ plan }) => plan === '')
  const sum = (of: 'amount' | 'requests') => paid.reduce((total, line) => total + line[of], 0)
  const rest = charged - sum('amount')
  if (rest === 0) return { charges: paid, covered }
  const count = Math.max(0, requests - sum('requests'))
  const last = {
    id: 'other',
    name: other,
    plan: '',
    requests: count,
    inputTokens: 0,
    outputTokens: 0,
    amount: rest,
  }
  return { charges: [...paid, last], covered }
}

const toLine = ({ value, second_value: plan, figures: f }: Group, name: string): GroupLine => ({
  id: `${value} ${plan}`,
  name,
  plan,
  requests: f.requests - f.errors,
  inputTokens:
    f.input_tokens +
    f.cached_input_tokens +
    f.cache_write_tokens +
    f.audio_input_tokens +
    f.image_input_tokens,
  outputTokens: f.output_tokens + f.reasoning_tokens + f.audio_output_tokens,
  amount: f.quota,
})
