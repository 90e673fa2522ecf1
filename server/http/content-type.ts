/** A parsed `Content-Type` or `Content-Disposition` header. Names are in lower case, values as they were sent. */
export interface ParameterizedValue {
  readonly value: string
  readonly parameters: ReadonlyMap<string, string>
}

const VALUE = /^\s*([!#$%&'*+\-.^_`|~\w]+(?:\/[!#$%&'*+\-.^_`|~\w]+)?)[ \t]*/
/** `; name=token` or `; name="quoted text"`, sticky. */
const PARAMETER = /;[ \t]*([!#$%&'*+\-.^_`|~\w]+)=(?:([!#$%&'*+\-.^_`|~\w]+)|"((?:[^"\\]|\\.)*)")[ \t]*/y

/**
 * Parses a header with parameters by the grammar of RFC 9110. Undefined for anything else, and for a parameter that is
 * given twice: other readers could find another value in it.
 */
export function parseParameterizedValue(header: string): ParameterizedValue | undefined {
  const start = VALUE.exec(header)
  if (!start) return undefined
  const parameters = new Map<string, string>()
  let end = start[0].length
  while (end < header.length) {
    PARAMETER.lastIndex = end
    const [match, name, token, quoted = ''] = PARAMETER.exec(header) ?? []
    if (match === undefined || name === undefined) return undefined
    const key = name.toLowerCase()
    if (parameters.has(key)) return undefined
    parameters.set(key, token ?? quoted.replace(/\\(.)/g, '$1'))
    end += match.length
  }
  return { value: (start[1] ?? '').toLowerCase(), parameters }
}
