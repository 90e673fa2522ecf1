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
