import { parseVerbatim } from '../core/json/json.ts'
import { isNested } from '../core/json/json-scan.ts'
import { MIB } from '../core/limits.ts'
import { parseJson } from './json.ts'

/*
 * A double cannot hold every number of a JSON text, such as an id of 19 digits. The objects and lists that hold such a
 * number are remembered with a copy that has it as raw text, which only `JSON.stringify` understands.
 */
const exactCopies = new WeakMap<object, object>()

/** An integer that a double may not hold. The fractions of vectors and probabilities, which are frequent, do not match. */
const LONG_INTEGER = /[:,[\s-]\d{16}/
/** Longer texts hold media, and searching them would take long. */
const SEARCHED_CHARS_MAX = MIB

/** Like `parseJson`, for texts with ids whose parts are written with `stringifyExact`. */
export function parseExact(text: string): unknown {
  const value = parseJson(text)
  if (isNested(value) && text.length <= SEARCHED_CHARS_MAX && LONG_INTEGER.test(text))
    rememberExact(value, parseVerbatim(text))
  return value
}

/** Many digits in a row, or an exponent at the end of a number. Some strings match too, which costs only time. */
const LONG_NUMBER = /[\d.]{16}|\d[eE][+-]?\d+\s*[,\]}]/

/** For values that are only written: numbers that a double cannot hold are raw text. Undefined when the text is not JSON. */
export function parseForWriting(text: string): unknown {
  const value = parseJson(text)
  return value !== undefined && LONG_NUMBER.test(text) ? parseVerbatim(text) : value
}

/** `exact`: the same text, parsed by `parseVerbatim`. Recursive, so the depth must have been limited before. */
export function rememberExact(value: object, exact: unknown): boolean {
  if (!isNested(exact)) return false
  const entries = Object.values(value)
  const exactEntries = Object.values(exact)
  let isInexact = false
  for (const [at, entry] of entries.entries()) {
    const exactEntry = exactEntries[at]
    const differs = isNested(entry) ? rememberExact(entry, exactEntry) : isNested(exactEntry)
    isInexact ||= differs
  }
  if (isInexact) exactCopies.set(value, exact)
  return isInexact
}

/** Like `JSON.stringify`, with the exact digits of values from `parseExact`. */
export const stringifyExact = (value: unknown): string =>
  JSON.stringify((isNested(value) && exactCopies.get(value)) || value)

/**
 * A copy with the digits of the parsed texts that its parts come from, for serializing. `original`: the parsed object that
 * it was made from by changing fields.
 */
export function withExactNumbers(value: unknown, original?: unknown): unknown {
  if (!isNested(value) || JSON.isRawJSON(value)) return value
  const exact = exactCopies.get(value)
  if (exact) return exact
  if (Array.isArray(value)) return value.map(entry => withExactNumbers(entry))
  const kept = keptNumbers(value, original)
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, kept.get(name) ?? withExactNumbers(entry)]),
  )
}

/** The inexact numbers directly in the original that the value still has. */
function keptNumbers(value: object, original: unknown): ReadonlyMap<string, unknown> {
  const exact = isNested(original) ? exactCopies.get(original) : undefined
  if (!exact || !isNested(original)) return new Map()
  const fields = new Map(Object.entries(value))
  const originals = new Map(Object.entries(original))
  return new Map(
    Object.entries(exact).filter(
      ([name, number]) => JSON.isRawJSON(number) && fields.get(name) === originals.get(name),
    ),
  )
}
