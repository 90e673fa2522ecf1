import type { z } from 'zod'
import { keepValidEntries } from '#contract/json-text.ts'
import { isObject, parseJson } from '#server/provider-kit/json.ts'

interface ListEntries {
  /** The JSON text of the entries that come. */
  readonly text: string
  /** Why the others do not come, by name. */
  readonly notes: readonly string[]
}

/** The entries of a list that come, with what is to be said of the others. Undefined where none comes. */
export function readListEntries(schema: z.ZodType, text: string): ListEntries | undefined {
  const kept = keepValidEntries(schema, text)
  if (!kept) return undefined
  const { issues } = kept
  const document = parseJson(text)
  const names = Object.keys(Object(document)).filter(name => issues.has(name))
  const rejected = [...Map.groupBy(names, name => issues.get(name)?.message)].map(
    ([reason, same]) => `did not come (${reason}): ${same.map(name => nameOf(document, name)).join(', ')}`,
  )
  const doubled = issues.size === 0 ? (schema.safeParse(text).error?.issues ?? []) : []
  return {
    text: kept.text,
    notes: [...rejected, ...doubled.map(({ message }) => `${message}: the last one came`)],
  }
}

/** Entries of a list are counted from 1 and shown by their own names. */
function nameOf(document: unknown, name: string): string {
  if (!Array.isArray(document)) return name
  const entry: unknown = document[Number(name)]
  const names = isObject(entry) ? ` (${Object.keys(entry).join(', ')})` : ''
  return `entry ${Number(name) + 1}${names}`
}
