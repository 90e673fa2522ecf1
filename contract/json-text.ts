/** A sentence for people in both languages, carried by a schema's issue and chosen where it is shown. */
export interface SaidInBoth {
  readonly zh: string
  readonly en: string
}

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: SaidInBoth }

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** Parses JSON and refuses an object that names a key twice. The problem says what was found and where. */
export function parseJsonText(text: string): ParsedJson {
  try {
    const value: unknown = JSON.parse(text)
    const repeated = repeatedKey(text)
    if (repeated === undefined) return { ok: true, value }
    return {
      ok: false,
      problem: { zh: `键 "${repeated}" 重复出现`, en: `the key "${repeated}" stands there twice` },
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return { ok: false, problem: { zh: `不是合法的 JSON：${detail}`, en: `not valid JSON: ${detail}` } }
  }
}

/** The first key that an object of this valid JSON text names twice. */
function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = []
  let lastText = ''
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === ':') {
      const key = String(JSON.parse(lastText))
      if (open.at(-1)?.has(key)) return key
      open.at(-1)?.add(key)
    } else if ('{['.includes(token)) open.push(new Set())
    else if ('}]'.includes(token)) open.pop()
    else lastText = token
  }
  return undefined
}
