import type { z } from 'zod'

/** A text in both languages. A schema issue carries it, and the language is chosen when the issue is shown. */
export interface LocalizedText {
  readonly zh: string
  readonly en: string
}

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: LocalizedText }

const LEVELS_MAX = 100
const STRUCTURE_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** Parses JSON, but rejects duplicate keys and more than 100 levels of nesting. */
export function parseJsonText(text: string): ParsedJson {
  try {
    const value: unknown = JSON.parse(text)
    const problem = findProblem(text)
    return problem ? { ok: false, problem } : { ok: true, value }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return { ok: false, problem: { zh: '不是合法的 JSON', en: `not valid JSON: ${detail}` } }
  }
}

/** Finds a duplicate key or excessive nesting in valid JSON text. */
function findProblem(text: string): LocalizedText | undefined {
  const open: Set<string>[] = []
  let lastText = ''
  for (const [token] of text.matchAll(STRUCTURE_TOKEN)) {
    if (token === ':') {
      const key = String(JSON.parse(lastText))
      if (open.at(-1)?.has(key)) return { zh: `键 "${key}" 重复出现`, en: `the key "${key}" appears twice` }
      open.at(-1)?.add(key)
    } else if ('{['.includes(token)) open.push(new Set())
    else if ('}]'.includes(token)) open.pop()
    else lastText = token
    if (open.length > LEVELS_MAX)
      return { zh: `嵌套超过 ${LEVELS_MAX} 层`, en: `nested deeper than ${LEVELS_MAX} levels` }
  }
  return undefined
}

interface ValidEntries<Value> {
  readonly value: Value
  /** Their JSON text. */
  readonly text: string
  /** The entries that are left out, and the first issue of each by its name or index. */
  readonly rest: object
  readonly issues: ReadonlyMap<string, z.core.$ZodIssue>
}

/**
 * The entries of a JSON list or object that a schema of JSON text accepts, so that a bad one does not take the others with it.
 * Of a duplicate key the last one counts. Undefined where no entry is valid, or the document is rejected as a whole.
 */
export function keepValidEntries<Value>(
  schema: z.ZodType<Value>,
  text: string,
): ValidEntries<Value> | undefined {
  const document = parseDocument(text)
  if (!document) return undefined
  const found = schema.safeParse(JSON.stringify(document)).error?.issues ?? []
  const issues = new Map(found.toReversed().map(issue => [String(issue.path[0]), issue] as const))
  const kept = pick(document, name => !issues.has(name))
  const { success, data } = schema.safeParse(JSON.stringify(kept))
  if (!success || Object.keys(kept).length === 0) return undefined
  const rest = pick(document, name => issues.has(name))
  return { value: data, text: JSON.stringify(kept), rest, issues }
}

function parseDocument(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function pick(document: object, isPicked: (name: string) => boolean): object {
  const entries = Object.entries(document).filter(([name]) => isPicked(name))
  return Array.isArray(document) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries)
}
