import { MIB } from './limits.ts'

/*
 * Images, audio and files are base64 inside JSON, tens of megabytes at times. They are kept out of parsing and
 * serialization, which would copy them each time and make all other requests wait.
 */

/** Shorter strings are serialized with the rest. */
const LONG_CHARS_MIN = 4096
/** Shorter texts are copied, which is simpler and costs little. */
const COPIED_CHARS_MAX = MIB
/** Printable ASCII without quotes and backslashes: JSON text that is the same as the string that it stands for. */
const NOT_PLAIN = /[^\x20!#-[\]-~]/

/** The characters from `start` up to `end`. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** Strings that are left out of a JSON text, which has unpredictable marks in their place. */
class Omissions {
  readonly strings: string[] = []
  /** Unpredictable. Undefined until a string is left out, which few texts need. */
  private mark: string | undefined

  add(string: string): string {
    this.mark ??= crypto.randomUUID()
    this.strings.push(string)
    return `<${this.mark}:${this.strings.length - 1}>`
  }

  /** Splits a text at its marks: texts at even positions, indexes of omitted strings at odd ones. */
  split(text: string): readonly string[] {
    if (this.mark === undefined || !text.includes(this.mark)) return [text]
    return text.split(new RegExp(`<${this.mark}:(\\d+)>`))
  }

  restore(text: string): string {
    const parts = this.split(text)
    return parts.length === 1 ? text : parts.map((part, at) => (at % 2 === 0 ? part : this.at(part))).join('')
  }

  at(index: string): string {
    return this.strings[Number(index)] ?? ''
  }
}

/** A JSON text that arrives in pieces. Beyond its beginning, media is set aside until the text has been parsed. */
export class JsonBodyText {
  /** The text, with marks in place of media. */
  text = ''
  private readonly media = new Omissions()

  get hasMedia(): boolean {
    return this.media.strings.length > 0
  }

  /** `ranges`: what may be media in the piece. Returns how many characters of it are not. */
  add(piece: string, ranges: readonly TextRange[]): number {
    if (ranges.length === 0 || this.text.length + piece.length <= COPIED_CHARS_MAX) {
      this.text += piece
      return 0
    }
    const isAscii = Buffer.byteLength(piece) === piece.length
    let copiedTo = 0
    let otherChars = 0
    for (const { start, end } of ranges) {
      // PHP escapes slashes.
      const string = piece.slice(start, end).replaceAll('\\/', '/')
      if (NOT_PLAIN.test(string)) {
        otherChars += end - start
        continue
      }
      this.text += piece.slice(copiedTo, start) + this.media.add(isAscii ? string : toNarrow(string))
      copiedTo = end
    }
    this.text += piece.slice(copiedTo)
    return otherChars
  }

  /** Puts the media back into the parsed value, which is changed. False when media was used as a key. */
  restore(value: object): boolean {
    return !this.hasMedia || restoreStrings(value, this.media)
  }
}

/** The same ASCII text with one byte per character, which a part of a text with other characters would not have. */
const toNarrow = (ascii: string): string => Buffer.from(ascii, 'latin1').toString('latin1')

/** Recursive, so the depth must have been limited before. Raw numbers are frozen. */
function restoreStrings(value: object, media: Omissions): boolean {
  if (Object.isFrozen(value)) return true
  const entries: Record<string, unknown> = value as Record<string, unknown>
  for (const key of Object.keys(entries)) {
    if (media.restore(key) !== key) return false
    const entry = entries[key]
    if (typeof entry === 'string') entries[key] = media.restore(entry)
    else if (typeof entry === 'object' && entry !== null && !restoreStrings(entry, media)) return false
  }
  return true
}

/** Serializes a value with media. Long plain strings are copied only once, into the UTF-8 result. */
export function stringifyMedia(value: unknown): Uint8Array<ArrayBuffer> {
  const media = new Omissions()
  const text = JSON.stringify(value, (_, entry: unknown) =>
    typeof entry === 'string' && entry.length > LONG_CHARS_MIN && !NOT_PLAIN.test(entry)
      ? media.add(entry)
      : entry,
  )
  const parts = media.split(text)
  const sizes = parts.map((part, at) => (at % 2 === 0 ? Buffer.byteLength(part) : media.at(part).length))
  const bytes = Buffer.allocUnsafeSlow(sizes.reduce((sum, size) => sum + size, 0))
  let position = 0
  for (const [at, part] of parts.entries())
    position += at % 2 === 0 ? bytes.write(part, position) : bytes.write(media.at(part), position, 'latin1')
  return bytes
}
