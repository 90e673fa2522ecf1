import { endOfString, isKey } from './json-scan.ts'

/** Shorter strings are parsed and serialized with the rest. */
const LONG_STRING_CHARS_MIN = 512

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
  add(text: string): string {
    this.parts.push(text)
    this.chars += text.length
    return `${this.chars - text.length}:${this.chars}`
  }

  toString(): string {
    return this.parts.join('')
  }
}

/**
 * Separates a JSON text from its long strings. The text may be invalid: what follows the error stays in the skeleton. Throws
 * SyntaxError for a long string that is not valid.
 */
export function separateLongStrings(text: string): SeparatedJson {
  const mark = crypto.randomUUID()
  // In a text with other characters, a part of ASCII would have two bytes per character.
  const makeNarrow = isAscii(text) ? (ascii: string) => ascii : toNarrow
  const narrow = new StringList()
  const wide = new StringList()
  let skeleton = ''
  let copiedTo = 0
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', start)) {
    const end = endOfString(text, start + 1)
    if (end < 0) break
    const literal = text.slice(start, end + 1)
    start = end + 1
    if (literal.length < LONG_STRING_CHARS_MIN || isKey(text, end)) continue
    const string = parseLong(literal)
    const place = isAscii(string) ? `narrow:${narrow.add(makeNarrow(string))}` : `wide:${wide.add(string)}`
    skeleton += `${text.slice(copiedTo, start - literal.length)}"<${mark}:${place}>"`
    copiedTo = start
  }
  return { skeleton: skeleton + text.slice(copiedTo), mark, narrow: narrow.toString(), wide: wide.toString() }
}

/** A string that stands for itself, which need not be copied by a parser. */
const PLAIN = /^"[\x20!#-[\]-~]*"$/

const parseLong = (literal: string): string =>
  PLAIN.test(literal) ? literal.slice(1, -1) : JSON.parse(literal)

/** The same text with one byte per character. */
const toNarrow = (ascii: string): string => Buffer.from(ascii, 'latin1').toString('latin1')

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

/** Puts the long strings back into the parsed skeleton, which is changed. They share the memory of `json`. */
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

/** Replaces the strings of a value, which is changed. Recursive, so the depth must have been limited before. */
function replaceStrings(value: object, replace: (text: string) => string): void {
  // Raw numbers are frozen.
  if (Object.isFrozen(value)) return
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry === 'string') Reflect.set(value, key, replace(entry))
    else if (typeof entry === 'object' && entry !== null) replaceStrings(entry, replace)
  }
}
