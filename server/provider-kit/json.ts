import { GatewayError } from '../core/errors.ts'
import { JSON_DEPTH_MAX } from '../core/json/json.ts'
import { endOfString } from '../core/json/json-scan.ts'
import { KIB } from '../core/limits.ts'

/** Any JSON object. */
export type JsonObject = { readonly [name: string]: unknown }

/**
 * Lenient readers for JSON from providers. Providers send null, omit fields and change types, so a missing or unexpected
 * value reads as empty instead of failing a response that has been paid for.
 */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const EMPTY_OBJECT: JsonObject = {}
const EMPTY_LIST: readonly unknown[] = []

/** The value, or an empty object for anything else. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : EMPTY_OBJECT)
/** The value, or an empty list for anything else. */
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : EMPTY_LIST)
/** The value, or undefined for anything but a string. */
export const asString = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
/** A count: 0 for anything but a positive finite number, rounded down. */
export const asCount = (value: unknown): number =>
  typeof value === 'number' && value > 0 && Number.isFinite(value) ? Math.floor(value) : 0

/** As many as a request may have. */
const ELEMENTS_MAX = 400_000
/** A shorter text has too few levels for recursive code to reach the end of the stack. */
const CHECKED_CHARS_MIN = 8 * KIB
const QUOTE = 34

/** What each character outside of strings adds to the elements, and to the level. */
const ELEMENTS = new Int8Array(128)
const LEVELS = new Int8Array(128)
for (const code of Buffer.from('[{,')) ELEMENTS[code] = 1
for (const code of Buffer.from('[{')) LEVELS[code] = 1
for (const code of Buffer.from(']}')) LEVELS[code] = -1

/** Throws GatewayError `upstream_bad_answer` for a text from a provider that is beyond the limits of `exceedsJsonLimits`. */
export function checkJsonLimits(text: string, elementsMax = ELEMENTS_MAX): void {
  if (exceedsJsonLimits(text, elementsMax)) throw tooComplex(elementsMax)
}

/**
 * Whether a text costs far more to parse than its length says: `elementsMax` limits lists, objects and commas. A text that
 * does not begin as JSON does has no limits.
 */
export function exceedsJsonLimits(text: string, elementsMax = ELEMENTS_MAX): boolean {
  if (text.length < CHECKED_CHARS_MIN || !/^\s*[[{]/.test(text)) return false
  let elements = 0
  let level = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const start = at + 1
      // Without a closing quote the loop ends: -1 becomes the largest number.
      at = endOfString(text, start) >>> 0
      elements += commasIn(text, start, at)
    }
    elements += ELEMENTS[code] ?? 0
    level += LEVELS[code] ?? 0
    if (elements > elementsMax || level > JSON_DEPTH_MAX) return true
  }
  return false
}

/** A long string may be JSON itself, such as the arguments of a call, which is parsed later. Media has no commas. */
function commasIn(text: string, start: number, end: number): number {
  if (end - start < CHECKED_CHARS_MIN) return 0
  let commas = 0
  for (let at = text.indexOf(',', start); at >= 0 && at < end; at = text.indexOf(',', at + 1)) commas += 1
  return commas
}

const tooComplex = (elementsMax: number): GatewayError =>
  new GatewayError('upstream_bad_answer', {
    zh: `上游响应的元素超过 ${elementsMax} 个，或嵌套超过 ${JSON_DEPTH_MAX} 层`,
    en: `the upstream's response has more than ${elementsMax} elements or ${JSON_DEPTH_MAX} levels`,
  })

/** Undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Present<Fields> = { readonly [Name in keyof Fields]?: NonNullable<Fields[Name]> }

/** The fields that have a value. The cast is safe because null and undefined have just been filtered out. */
export const omitNullish = <Fields extends object>(fields: Fields): Present<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as Present<Fields>

/**
 * A file in a multipart form, received from a client or sent to a provider. Its bytes are no field, so that whatever looks
 * through a body does not go through millions of numbers.
 */
export class FormFile {
  readonly name: string
  /** The client's declaration. Empty when there is none. */
  readonly mediaType: string
  readonly #bytes: Uint8Array<ArrayBuffer>

  constructor(file: { name: string; mediaType: string; bytes: Uint8Array<ArrayBuffer> }) {
    this.name = file.name
    this.mediaType = file.mediaType
    this.#bytes = file.bytes
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes
  }
}
