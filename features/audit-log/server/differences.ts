import { cutText, mapValues } from './mask-input.ts'

/** As many leaves as a row of the log keeps. */
const LEAVES_MAX = 2000

type ComparedFields = Readonly<Record<string, unknown>>

/** What differs between two values, and nothing else. */
export interface Difference {
  readonly before: unknown
  readonly after: unknown
}

const isFields = (value: unknown): value is ComparedFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined for equal values. Objects are compared field by field, so that one price of a table is one difference. */
export function differenceOf(
  before: unknown,
  after: unknown,
  budget = { leaves: LEAVES_MAX },
): Difference | undefined {
  if (Bun.deepEquals(before, after)) return undefined
  if (isFields(before) && isFields(after)) return fieldDifferences(before, after, budget)
  budget.leaves -= 1
  return { before: keep(before), after: keep(after) }
}

/** Only now that they were compared are long texts cut: they may differ at their ends. */
function keep(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value)
  if (Array.isArray(value)) return value.map(keep)
  return isFields(value) ? mapValues(value, keep) : value
}

function fieldDifferences(
  before: ComparedFields,
  after: ComparedFields,
  budget: { leaves: number },
): Difference | undefined {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const found: (readonly [string, Difference])[] = []
  for (const name of names) {
    if (budget.leaves <= 0) break
    const difference = differenceOf(before[name], after[name], budget)
    if (difference) found.push([name, difference])
  }
  if (found.length === 0) return undefined
  return {
    before: Object.fromEntries(found.map(([name, difference]) => [name, difference.before])),
    after: Object.fromEntries(found.map(([name, difference]) => [name, difference.after])),
  }
}
