import type { z } from 'zod'
import { isObject, parseJson } from '#server/provider-kit/json.ts'

interface ValidEntries {
  /** The JSON text of the entries that are valid. */
  readonly text: string
  /** Why the others do not come, by name. */
  readonly notes: readonly string[]
}

/**
 * The entries of a JSON list or object that a schema of JSON text accepts, so that a bad one does not take the others with it.
 * Undefined where it accepts none, or rejects the document as a whole.
 */
export function keepValidEntries(schema: z.ZodType, text: string): ValidEntries | undefined {
  const document = parseJson(text)
  if (!isObject(document) && !Array.isArray(document)) return undefined
  const issues = schema.safeParse(JSON.stringify(document)).error?.issues ?? []
  // The first issue of an entry counts.
  const reasons = new Map([
    ...mistakenFigures(document),
    ...issues.toReversed().map(({ path, message }) => [String(path[0]), message] as const),
  ])
  const kept = Object.entries(document).filter(([name]) => !reasons.has(name))
  const valid = JSON.stringify(
    Array.isArray(document) ? kept.map(([, entry]) => entry) : Object.fromEntries(kept),
  )
  if (kept.length === 0 || !schema.safeParse(valid).success) return undefined
  const names = Object.keys(document).filter(name => reasons.has(name))
  const rejected = [...Map.groupBy(names, name => reasons.get(name))].map(
    ([reason, same]) => `did not come (${reason}): ${same.map(name => nameOf(document, name)).join(', ')}`,
  )
  const doubled = reasons.size === 0 ? (schema.safeParse(text).error?.issues ?? []) : []
  return {
    text: valid,
    notes: [...rejected, ...doubled.map(({ message }) => `${message}: the last one came`)],
  }
}

/** As a ratio two thousand dollars a token: nobody could call the model, and a sum of such figures is no longer exact. */
const FIGURE_MAX = 1e9

const mistakenFigures = (document: object): ReadonlyArray<readonly [string, string]> =>
  Object.entries(document).flatMap(([name, value]) =>
    typeof value === 'number' && value > FIGURE_MAX
      ? [[name, 'ratios and prices are at most a billion'] as const]
      : [],
  )

/** Entries of a list are counted from 1 and shown by their own names. */
function nameOf(document: object, name: string): string {
  if (!Array.isArray(document)) return name
  const entry: unknown = document[Number(name)]
  const names = isObject(entry) ? ` (${Object.keys(entry).join(', ')})` : ''
  return `entry ${Number(name) + 1}${names}`
}
