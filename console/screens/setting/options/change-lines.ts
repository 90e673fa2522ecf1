import { z } from 'zod'
import { parseJsonText } from '#contract/json-text.ts'
import type { FieldKind } from './field-kind.ts'

/** One thing that an edit changes. `name` is empty where the option is one value; absent sides are undefined. */
export interface ChangeLine {
  readonly name: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const JsonRecord = z.record(z.string(), z.union([z.number(), z.string()]))

function recordIn(text: string): ReadonlyMap<string, string> | undefined {
  const parsed = parseJsonText(text.trim() === '' ? '{}' : text)
  const record = JsonRecord.safeParse(parsed.ok ? parsed.value : undefined)
  return record.success
    ? new Map(Object.entries(record.data).map(([name, value]) => [name, String(value)]))
    : undefined
}

const entriesIn = (text: string, separator: RegExp): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(separator)
      .map(entry => entry.trim())
      .filter(entry => entry !== '')
      .map(entry => [entry, entry]),
  )

function linesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly ChangeLine[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map(name => ({ name, before: before.get(name), after: after.get(name) }))
    .filter(line => line.before !== line.after)
}

/** What an edit of one option changes: entry by entry where the option is a list or a table. */
export function changeLines(kind: FieldKind, before: string, after: string): readonly ChangeLine[] {
  const whole = [{ name: '', before, after }]
  if (kind === 'lines') return linesBetween(entriesIn(before, /\n/), entriesIn(after, /\n/))
  if (kind === 'names') return linesBetween(entriesIn(before, /,/), entriesIn(after, /,/))
  if (kind !== 'json') return whole
  const [from, to] = [recordIn(before), recordIn(after)]
  return from && to ? linesBetween(from, to) : whole
}
