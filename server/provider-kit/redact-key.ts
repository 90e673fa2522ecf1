import { memoize } from '../core/memoize.ts'
import type { Failure } from './failures.ts'

/** Shorter parts of a key may be ordinary words. */
const PART_CHARS_MIN = 8
const PART_SEPARATOR = /[|\n]/
const PATTERNS_CACHED_MAX = 1_000
/** What a reader does not see between two characters. */
const INVISIBLE = '[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\s]*'
/** What a writer puts between two characters. Keys have some of it themselves. */
const SEPARATOR = /[^\p{L}\p{N}]/gu
const SEPARATED = '[^\\p{L}\\p{N}]*'
const SEPARATED_CHARS_MIN = 16
/** Above it a key is a file, such as that of a service account: a pattern of all ways to write it would be too long. */
const REWRITTEN_CHARS_MAX = 512
const SUFFIXES_MAX = 3
const HEX_SEPARATOR = `[:,-]?${INVISIBLE}(?:0x|\\\\x)?`
const BITS_PER_BASE64_CHAR = 6

/**
 * Removes the channel's key from everything in a failure that clients see. Covers the parts of a composite key: in any
 * case and width, reversed, split by invisible characters or by separators, without the prefix that all keys of a provider have,
 * with escapes of URLs, forms, JSON and HTML, in hexadecimal, and in Base64 of any text that contains them.
 */
export function redactKey(failure: Failure, key: string): Failure {
  const { code, message, messageZh, type, param } = failure
  const pattern = patternOf(key)
  const containsKey = (text: string | undefined) => text !== undefined && text.search(pattern) >= 0
  if (![code, message, messageZh, type, param].some(containsKey)) return failure
  const redact = (text: string) => text.replace(pattern, '[key]')
  return {
    ...failure,
    code: redact(code),
    message: redact(message),
    messageZh: messageZh && redact(messageZh),
    type: type && redact(type),
    param: param && redact(param),
  }
}

const SPACE = 0x20
const DELETE = 0x7f
/** From a character to its full-width form. */
const FULL_WIDTH = 0xfee0
const NOTHING = '(?!)'

const patternOf = memoize((key): RegExp => {
  const parts = [key, ...key.split(PART_SEPARATOR)].filter(({ length }) => length >= PART_CHARS_MIN)
  return new RegExp(
    [...new Set([...parts, ...parts.flatMap(suffixesOf)])].flatMap(notations).join('|') || NOTHING,
    'giu',
  )
}, PATTERNS_CACHED_MAX)

/** What follows a prefix such as `sk-` or `sk-ant-`, the longest first. */
const suffixesOf = (part: string): readonly string[] =>
  (isRewritten(part) ? [...part.matchAll(/[-_]/g)] : [])
    .map(({ index }) => part.slice(index + 1))
    .filter(isRewritten)
    .slice(0, SUFFIXES_MAX)

/** Whether it may be written without its prefix, or with separators. */
const isRewritten = ({ length }: ArrayLike<string>): boolean =>
  length >= SEPARATED_CHARS_MIN && length <= REWRITTEN_CHARS_MAX

function notations(part: string): readonly string[] {
  if (part.length > REWRITTEN_CHARS_MAX) return literalNotations(part)
  const characters = Array.from(part, notationsOf)
  const letters = Array.from(part.replaceAll(SEPARATOR, ''), notationsOf)
  const hex = [...Buffer.from(part)].map(byte => byte.toString(16).padStart(2, '0'))
  return [
    characters.join(INVISIBLE),
    characters.toReversed().join(INVISIBLE),
    ...(isRewritten(letters) ? [letters.join(SEPARATED)] : []),
    hex.join(HEX_SEPARATOR),
    ...[0, 1, 2].map(before => inBase64(part, before)),
  ]
}

/** As it is, within JSON, in hexadecimal and in Base64. */
const literalNotations = (part: string): readonly string[] => [
  ...[part, JSON.stringify(part).slice(1, -1), Buffer.from(part).toString('hex')].map(RegExp.escape),
  ...[0, 1, 2].map(before => RegExp.escape(base64Digits(part, before)) + BASE64_REST),
]

/** One character as it is or in full width, and as it is escaped in URLs and forms, in JSON and programs, and in HTML. */
function notationsOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  const bytes = [...Buffer.from(character)].map(byte => `%${byte.toString(16).padStart(2, '0')}`)
  const inForm = character === ' ' ? '|\\+' : ''
  const wide = code > SPACE && code < DELETE ? `|${String.fromCodePoint(code + FULL_WIDTH)}` : ''
  return `(?:${RegExp.escape(character)}${wide}|${bytes.join('')}|\\\\[ux]\\{?0*${hex}\\}?|&#(?:0*${code}|x0*${hex});${inForm})`
}

/** What follows the digits of a part in Base64. */
const BASE64_REST = '[\\w+/=-]*'

function inBase64(part: string, before: number): string {
  const digits = base64Digits(part, before)
  const either = digits.replaceAll(/[+/]/g, digit => (digit === '+' ? '-' : '_'))
  return `${Array.from(digits, (digit, at) => `[${RegExp.escape(digit)}${RegExp.escape(either.charAt(at))}]`).join(INVISIBLE)}${BASE64_REST}`
}

/** The digits that depend on the part alone when as many bytes stand before it, modulo 3. */
function base64Digits(part: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(part)])
  const start = Math.ceil((before * 8) / BITS_PER_BASE64_CHAR)
  return bytes.toString('base64').slice(start, Math.floor((bytes.length * 8) / BITS_PER_BASE64_CHAR))
}
