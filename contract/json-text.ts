/** A sentence for people in both languages, carried by a schema's issue and chosen where it is shown. */
export interface LocalizedText {
  readonly zh: string
  readonly en: string
}

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: LocalizedText }

const LEVELS_MAX = 100
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** Parses JSON and refuses an object that names a key twice, and too many levels. The problem says what was found and where. */
export function parseJsonText(text: string): ParsedJson {
  try {
    const value: unknown = JSON.parse(text)
    const problem = problemIn(text)
    return problem ? { ok: false, problem } : { ok: true, value }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return { ok: false, problem: { zh: `不是合法的 JSON：${detail}`, en: `not valid JSON: ${detail}` } }
  }
}

/** A key that an object of this valid JSON text names twice, or more levels than anything needs. */
function problemIn(text: string): LocalizedText | undefined {
  const open: Set<string>[] = []
  let lastText = ''
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === ':') {
      const key = String(JSON.parse(lastText))
      if (open.at(-1)?.has(key))
        return { zh: `键 "${key}" 重复出现`, en: `the key "${key}" stands there twice` }
      open.at(-1)?.add(key)
    } else if ('{['.includes(token)) open.push(new Set())
    else if ('}]'.includes(token)) open.pop()
    else lastText = token
    if (open.length > LEVELS_MAX)
      return { zh: `嵌套超过 ${LEVELS_MAX} 层`, en: `nested deeper than ${LEVELS_MAX} levels` }
  }
  return undefined
}
