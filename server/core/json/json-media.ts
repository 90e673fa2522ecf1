import { MIB } from '../limits.ts'
import type { TextRange } from './json-scan.ts'
import { Omissions } from './omissions.ts'
import { replaceStrings, type SeparatedJson, separateLongStrings } from './separated-json.ts'

/*
 * Images, audio and files are base64 inside JSON, tens of megabytes at times. They are kept out of parsing, which would copy
 * them.
 */

/** Shorter texts are copied, which is simpler and costs little. */
const COPIED_CHARS_MAX = MIB
/** Printable ASCII without quotes and backslashes: JSON text that is the same as the string that it stands for. */
const NOT_PLAIN = /[^\x20!#-[\]-~]/

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

  /** Puts the media back into the parsed value, which is changed. Throws GatewayError when media was used as a key. */
  restore(value: object): void {
    if (this.hasMedia) replaceStrings(value, text => this.media.restore(text))
  }

  /** Throws as `separateLongStrings`. */
  separate(): SeparatedJson {
    return separateLongStrings(this.text, this.media)
  }
}

/** The same ASCII text with one byte per character, which a part of a text with other characters would not have. */
const toNarrow = (ascii: string): string => Buffer.from(ascii, 'latin1').toString('latin1')
