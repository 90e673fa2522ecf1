import { errorMessage, GatewayError } from '../errors.ts'
import type { BothLanguages } from '../language.ts'
import { MIB } from '../limits.ts'
import { countKeys, findDoubledKey, isNested, JsonScanner } from './json-scan.ts'
import { joinLongStrings, type SeparatedJson, separateLongStrings } from './separated-json.ts'

/** Deeper than any meaningful body. Code that walks a body recursively stays far from the end of the stack. */
export const JSON_DEPTH_MAX = 128
/** A piece of a text that exceeds a limit costs no more than this before it is rejected. */
const PIECE_CHARS_MAX = MIB
const LONG_NUMBER_ELEMENTS = 10

/** Element limits of a JSON body: parsing and validation cost by the element, not by the byte. */
export interface JsonLimits {
  readonly keysMax: number
  /** Lists, objects and the commas between values; a number that a double may not hold counts ten times. */
  readonly elementsMax: number
  /** Characters outside of images, audio and files. */
  readonly textCharsMax: number
}

/** Parses one JSON body. */
export interface JsonBodyParser {
  /**
   * Adds a piece of the text and counts its parts, so that a body beyond a limit is rejected while it arrives. Throws
   * GatewayError `body_too_large` for too much text, and `invalid_request` for too many parts or levels.
   */
  push(piece: string): void
  /** Whether the text is nothing but white space. */
  isBlank(): boolean
  /** Elements so far, as the limit counts them. */
  elements(): number
  /**
   * Parses the whole text. Throws GatewayError `invalid_json` for text that is not JSON, and
   * `invalid_request` for a key that an object contains twice.
   */
  parse(): ParsedJson
  /** Checks the whole text as `parse` does, for `joinJson` on another thread. Throws as `parse`. */
  separate(): CheckedJson
}

/** A text that was checked, without its long strings. */
export interface CheckedJson extends SeparatedJson {
  readonly elements: number
  readonly hasLongNumber: boolean
}

export interface ParsedJson {
  readonly value: unknown
  /** The value has long strings: serialize it as `LargeJson`. */
  readonly isLarge: boolean
  /** The same value with its numbers as they were written, for texts with numbers that are not exact in `value`. Only for serializing. */
  readonly verbatim?: unknown
}

export function createJsonBodyParser(limits: JsonLimits): JsonBodyParser {
  const scanner = new JsonScanner()
  let text = ''
  return {
    push(piece) {
      for (let at = 0; at < piece.length; at += PIECE_CHARS_MAX) {
        const part = piece.length > PIECE_CHARS_MAX ? piece.slice(at, at + PIECE_CHARS_MAX) : piece
        scanner.push(part)
        text += part
        rejectBeyond(limits, scanner)
      }
    },
    isBlank: () => text.trim() === '',
    elements: () => weightOf(scanner),
    parse() {
      const value = parseChecked(text, scanner)
      return { value, isLarge: false, ...(scanner.longNumbers > 0 && { verbatim: parseVerbatim(text) }) }
    },
    separate() {
      const separated = parseValid(() => separateLongStrings(text))
      parseChecked(separated.skeleton, scanner)
      return { ...separated, elements: weightOf(scanner), hasLongNumber: scanner.longNumbers > 0 }
    },
  }
}

/** Throws GatewayError for a text that is not JSON or has a key twice. */
function parseChecked(text: string, { keys }: JsonScanner): unknown {
  const value = parseValid(() => JSON.parse(text))
  if (isNested(value) && countKeys(value) < keys) throw doubledKey(findDoubledKey(text))
  return value
}

/** Parses a text that another thread has checked. The long strings share its memory. */
export function joinJson(json: CheckedJson): ParsedJson {
  const { skeleton, hasLongNumber, narrow, wide } = json
  const value = joinLongStrings(JSON.parse(skeleton), json)
  const isLarge = narrow !== '' || wide !== ''
  if (!hasLongNumber) return { value, isLarge }
  return { value, isLarge, verbatim: joinLongStrings(parseVerbatim(skeleton), json) }
}

declare global {
  interface JSON {
    /** An object that `stringify` writes as this text. Source: TC39, JSON.parse source text access */
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

/** Numbers that would change are kept as raw text, which only `JSON.stringify` understands. Throws SyntaxError. */
export const parseVerbatim = (text: string): unknown =>
  JSON.parse(text, (_, value: unknown, { source }: { readonly source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && JSON.stringify(value) !== source
      ? JSON.rawJSON(source)
      : value,
  )

const doubledKey = (key = ''): GatewayError =>
  invalid({ zh: `请求体中有对象的键 ${key} 重复`, en: `an object in the body has the key ${key} twice` })

/** Parses a text in which no object may contain a key twice. Throws as `JsonBodyParser`. */
export function parseStrictJson(text: string, limits: JsonLimits): unknown {
  const { push, parse: finish } = createJsonBodyParser(limits)
  push(text)
  return finish().value
}

/** What parsing costs: the text of a long number is read a second time, and kept. */
const weightOf = ({ elements, longNumbers }: JsonScanner): number =>
  elements + LONG_NUMBER_ELEMENTS * longNumbers

function rejectBeyond(limits: JsonLimits, counts: JsonScanner): void {
  if (counts.depth > JSON_DEPTH_MAX)
    throw invalid({
      zh: `请求体的嵌套超过 ${JSON_DEPTH_MAX} 层`,
      en: `the body is nested deeper than ${JSON_DEPTH_MAX} levels`,
    })
  if (weightOf(counts) > limits.elementsMax)
    throw invalid({
      zh: `请求体的元素超过 ${limits.elementsMax} 个`,
      en: `the body has more than ${limits.elementsMax} elements`,
    })
  if (counts.keys > limits.keysMax)
    throw invalid({
      zh: `请求体的键超过 ${limits.keysMax} 个`,
      en: `the body has more than ${limits.keysMax} keys`,
    })
  if (counts.textChars > limits.textCharsMax) throw tooMuchText(limits.textCharsMax)
}

const invalid = (texts: BothLanguages): GatewayError => new GatewayError('invalid_request', texts)

const tooMuchText = (charsMax: number): GatewayError =>
  new GatewayError('body_too_large', {
    zh: `请求体的文本超过 ${charsMax / MIB} MiB；只有图片、音频和文件可以更大`,
    en: `the body has more than ${charsMax / MIB} MiB of text; only images, audio and files may be larger`,
  })

function parseValid<Value>(parse: () => Value): Value {
  try {
    return parse()
  } catch (cause) {
    throw new GatewayError(
      'invalid_json',
      {
        zh: `请求体不是有效的 JSON：${errorMessage(cause)}`,
        en: `the body is not valid JSON: ${errorMessage(cause)}`,
      },
      { cause },
    )
  }
}

/** Looks up a name from a request in a table. Inherited properties such as `constructor` are not entries. */
export const ownEntry = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

const JSON_TYPE = 'application/json; charset=utf-8'
/** Smaller responses fit into a few packets, and compressing them is not worth the time. */
export const LARGE_RESPONSE_CHARS = 64 * 1024

/** Responds with JSON text. The length of a large one is set, by which the HTTP side knows what to compress. */
export const jsonTextResponse = (text: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(text, {
    headers: {
      ...headers,
      'content-type': JSON_TYPE,
      ...(text.length >= LARGE_RESPONSE_CHARS && { 'content-length': String(Buffer.byteLength(text)) }),
    },
  })
