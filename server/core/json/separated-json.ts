import { GatewayError } from '../errors.ts'
import { endOfString, isKey } from './json-scan.ts'
import type { Omissions } from './omissions.ts'

/** Shorter strings are parsed and serialized with the rest. */
export const LONG_STRING_CHARS_MIN = 512

/** JSON without its long strings. It has plain members only, whose texts threads share instead of copying them. */
export interface SeparatedJson {
  /** The JSON text with a mark in place of each long string, which tells where that string is. */
  readonly skeleton: string
  /** Unpredictable. Every mark contains it, and nothing else does. */
  readonly mark: string
  /** Long strings of ASCII, one after another. They would take twice the memory in one text with the others. */
  readonly narrow: string
  /** All other long strings. */
  readonly wide: string
}

/** The strings of one kind, one after another. */
class StringList {
  private readonly parts: string[] = []
  private chars = 0

  /** Returns where the string is, as its mark gives it. */
  add(parts: readonly string[]): string {
    const start = this.chars
    for (const part of parts) {
      this.parts.push(part)
      this.chars += part.length
    }
    return `${start}:${this.chars}`
  }

  toString(): string {
    return this.parts.join('')
  }
}

/**
 * Separates a JSON text from its long strings, and from those with media. The text may be invalid: what follows the error stays
 * in the skeleton. Throws SyntaxError for a long string that is not valid.
 */
export function separateLongStrings(text: string, media: Omissions): SeparatedJson {
  const mark = crypto.randomUUID()
  const narrow = new StringList()
  const wide = new StringList()
  let skeleton = ''
  let copiedTo = 0
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', start)) {
    const end = endOfString(text, start + 1)
    if (end < 0) break
    const literal = text.slice(start, end + 1)
    start = end + 1
    const hasMedia = media.isIn(literal)
    if (!hasMedia && (literal.length < LONG_STRING_CHARS_MIN || isKey(text, end))) continue
    const parts = media.restoredParts(JSON.parse(literal))
    const place = parts.every(isAscii) ? `narrow:${narrow.add(parts)}` : `wide:${wide.add(parts)}`
    skeleton += `${text.slice(copiedTo, start - literal.length)}"<${mark}:${place}>"`
    copiedTo = start
  }
  return { skeleton: skeleton + text.slice(copiedTo), mark, narrow: narrow.toString(), wide: wide.toString() }
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

/** Puts the long strings back into the parsed skeleton, which is changed. They share the memory of `json`. Throws GatewayError when one is a key. */
export function joinLongStrings(skeleton: unknown, { mark, narrow, wide }: SeparatedJson): unknown {
  const prefix = `<${mark}:`
  const replace = (text: string): string => {
    if (!text.startsWith(prefix)) return text
    const [list, start, end] = text.slice(prefix.length, -1).split(':')
    return (list === 'wide' ? wide : narrow).slice(Number(start), Number(end))
  }
  const root = { value: skeleton }
  replaceStrings(root, replace)
  return root.value
}

/**
 * Replaces the strings of a value, which is changed. Throws GatewayError `invalid_request` when a key would change. Recursive,
 * so the depth must have been limited before. Raw numbers are frozen.
 */
export function replaceStrings(value: object, replace: (text: string) => string): void {
  if (Object.isFrozen(value)) return
  const entries: Record<string, unknown> = value as Record<string, unknown>
  const isList = Array.isArray(value)
  for (const key of Object.keys(entries)) {
    if (!isList && replace(key) !== key) throw keyTooLong()
    const entry = entries[key]
    if (typeof entry === 'string') entries[key] = replace(entry)
    else if (typeof entry === 'object' && entry !== null) replaceStrings(entry, replace)
  }
}

const keyTooLong = (): GatewayError =>
  new GatewayError('invalid_request', { zh: '请求体中有过长的键', en: 'a key in the body is too long' })
