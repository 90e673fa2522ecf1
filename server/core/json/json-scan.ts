const QUOTE = 34
const COMMA = 44
const DOT = 46
const DIGIT_0 = 48
const DIGIT_9 = 57
const COLON = 58
const LETTER_E = 101
const LOWER_CASE = 32
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** Shorter strings count as text. */
const MEDIA_CHARS_MIN = 1024
const SAMPLE_CHARS = 256
/** The beginning of a data URL or of base64, whose slashes may be escaped. */
const MEDIA_START = /^(?:data:[^,"\s]{0,200},)?[\w+/=\\-]*$/

/** All but printable ASCII and the slashes that PHP escapes. A backslash at the end may belong to one. */
const NOT_MEDIA = /[^\x20-~]|\\(?!\/|$)/

/** Contents of a JSON text. The counts are exact if the text is valid JSON. */
export interface JsonCounts {
  readonly keys: number
  /** Lists and objects, plus the commas between values. */
  readonly elements: number
  readonly depth: number
  /** Characters that are not part of a data URL or of base64. */
  readonly textChars: number
}

/** A string whose closing quote has not arrived. */
interface OpenString {
  readonly chars: number
  /** Its first characters. */
  readonly sample: string
  /** It ends in a backslash that escapes the next character. */
  readonly isEscaping: boolean
}

const NEW_STRING: OpenString = { chars: 0, sample: '', isEscaping: false }

/** Counts the parts of a JSON text as it arrives, without parsing it: one pass that skips strings. */
export class JsonScanner implements JsonCounts {
  keys = 0
  elements = 0
  depth = 0
  textChars = 0
  /** Numbers that a double may not hold: every such number is found, and a few others. */
  longNumbers = 0
  private level = 0
  private string: OpenString | undefined
  private numberChars = 0

  push(text: string): void {
    this.textChars += text.length
    let at = this.string ? this.skipString(text, 0, this.string) : 0
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (isNumeric(code)) this.countNumber(code)
      else this.numberChars = 0
      if (code === QUOTE) at = this.skipString(text, at + 1, NEW_STRING) - 1
      else if (code === COLON) this.keys += 1
      else if (code === COMMA) this.elements += 1
      else if (isOpening(code)) this.open()
      else if (isClosing(code)) this.level -= 1
    }
  }

  private countNumber(code: number): void {
    this.numberChars += 1
    if (this.numberChars === EXACT_DIGITS + 1 || (this.numberChars > 1 && isExponent(code)))
      this.longNumbers += 1
  }

  private open(): void {
    this.elements += 1
    this.level += 1
    if (this.level > this.depth) this.depth = this.level
  }

  /** Returns the position after the closing quote, or the end of the text if the string is longer. */
  private skipString(text: string, start: number, before: OpenString): number {
    const quote = endOfString(text, start, before.isEscaping)
    const end = quote < 0 ? text.length : quote
    const chars = before.chars + end - start
    this.string = undefined
    if (quote >= 0 && chars < MEDIA_CHARS_MIN) return end + 1
    const sample =
      before.sample + text.slice(start, Math.min(end, start + SAMPLE_CHARS - before.sample.length))
    const isEscaping = quote < 0 && isEscaped(text, start, end, before.isEscaping)
    // The received part of a shorter string may still be a key, or text.
    const isMedia = chars >= MEDIA_CHARS_MIN && MEDIA_START.test(sample)
    if (isMedia && !NOT_MEDIA.test(text.slice(start + Number(before.isEscaping), end)))
      this.textChars -= before.chars < MEDIA_CHARS_MIN ? chars : end - start
    if (quote >= 0) return end + 1
    this.string = { chars, sample, isEscaping }
    return end
  }
}

/** A double holds every number of this many digits exactly. */
const EXACT_DIGITS = 15
/** The characters of a number; `e` alone is also in `true` and `false`. */
const isNumeric = (code: number): boolean =>
  (code >= DIGIT_0 && code <= DIGIT_9) || code === DOT || isExponent(code)
const isExponent = (code: number): boolean => (code | LOWER_CASE) === LETTER_E

const isOpening = (code: number): boolean => code === OPEN_OBJECT || code === OPEN_LIST
const isClosing = (code: number): boolean => code === CLOSE_OBJECT || code === CLOSE_LIST

/** The position of the closing quote, or -1. `isEscaping`: the character at `start` is escaped. */
export function endOfString(text: string, start: number, isEscaping = false): number {
  let end = text.indexOf('"', start)
  while (end >= 0 && isEscaped(text, start, end, isEscaping)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, start: number, at: number, isEscaping: boolean): boolean {
  let first = at
  while (first > start && text.charCodeAt(first - 1) === BACKSLASH) first -= 1
  const carried = first === start && isEscaping ? 1 : 0
  return (at - first + carried) % 2 === 1
}

/** The first key, as it is written, that an object of this valid JSON text contains twice. Undefined when there is none. */
export function findDoubledKey(text: string): string | undefined {
  const open: Set<unknown>[] = []
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isOpening(code)) open.push(new Set())
    else if (isClosing(code)) open.pop()
    if (code !== QUOTE) continue
    const end = endOfString(text, at + 1)
    const written = text.slice(at, end + 1)
    at = end
    if (!isKey(text, end)) continue
    const key: unknown = JSON.parse(written)
    const keys = open.at(-1)
    if (keys?.has(key)) return written
    keys?.add(key)
  }
  return undefined
}

const AFTER_KEY = /\s*:/y

export function isKey(text: string, closingQuote: number): boolean {
  AFTER_KEY.lastIndex = closingQuote + 1
  return AFTER_KEY.test(text)
}

/** The keys of all objects in a parsed value. Recursive, so the depth must have been limited before. */
export function countKeys(value: object): number {
  let keys = 0
  if (Array.isArray(value)) {
    for (const entry of value) if (isNested(entry)) keys += countKeys(entry)
    return keys
  }
  for (const entry of Object.values(value)) {
    keys += 1
    if (isNested(entry)) keys += countKeys(entry)
  }
  return keys
}

export const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null
