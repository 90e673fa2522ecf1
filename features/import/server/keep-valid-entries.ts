import type { z } from 'zod'
import { isObject } from '#server/provider-kit/json.ts'

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
  const document = parseDocument(text)
  if (!document) return undefined
  const reasons = new Map<string, string>()
  for (const { path, message } of schema.safeParse(JSON.stringify(document)).error?.issues ?? [])
    if (!reasons.has(String(path[0] ?? ''))) reasons.set(String(path[0] ?? ''), message)
  const kept = Object.entries(document).filter(([name]) => !reasons.has(name))
  const valid = JSON.stringify(Array.isArray(document) ? kept.map(([, entry]) => entry) : toObject(kept))
  if (kept.length === 0 || !schema.safeParse(valid).success) return undefined
  const byReason = Map.groupBy(reasons, ([, reason]) => reason)
  const rejected = [...byReason].map(
    ([reason, entries]) =>
      `did not come (${reason}): ${entries.map(([name]) => nameOf(document, name)).join(', ')}`,
  )
  const doubled = reasons.size === 0 ? (schema.safeParse(text).error?.issues ?? []) : []
  return {
    text: valid,
    notes: [...rejected, ...doubled.map(({ message }) => `${message}: the last one came`)],
  }
}

const toObject = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(entries)

function parseDocument(text: string): Readonly<Record<string, unknown>> | readonly unknown[] | undefined {
  try {
    const document: unknown = JSON.parse(text)
    return isObject(document) || Array.isArray(document) ? document : undefined
  } catch {
    return undefined
  }
}

/** Entries of a list are counted from 1 and shown by their own names. */
function nameOf(document: object, name: string): string {
  if (!Array.isArray(document)) return name
  const entry: unknown = document[Number(name)]
  const names = isObject(entry) ? ` (${Object.keys(entry).join(', ')})` : ''
  return `entry ${Number(name) + 1}${names}`
}
