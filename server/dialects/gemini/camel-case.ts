import { isObject } from '../../provider-kit/json.ts'

/** What stands below these names is the client's own, and its names are too. */
const OPAQUE: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
])

/** Google takes every field in either spelling, `inlineData` and `inline_data`. */
export function toCamelCase(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(toCamelCase)
  if (!isObject(json)) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      return [camel, OPAQUE.has(camel) ? value : toCamelCase(value)]
    }),
  )
}
