import type { Failure } from '../../provider-kit/failure.ts'

/** Shorter parts of a key are words that stand in any sentence. */
const PART_CHARS_MIN = 8
const BETWEEN_PARTS = /[|\n]/
const BASE64_END = /=+$/

/**
 * A failure that does not quote the channel's key, nor a part of one that is made of several, in none of its words that
 * a client is told, and in none of the ways in which addresses, forms and headers write it.
 */
export function withoutKey(failure: Failure, key: string): Failure {
  const { code, message, type, param } = failure
  const quoted = [key, ...key.split(BETWEEN_PARTS)].flatMap(waysToWrite)
  const isQuoted = (text: string | undefined) =>
    text !== undefined && quoted.some(part => text.includes(part))
  if (![code, message, type, param].some(isQuoted)) return failure
  const hide = (text: string) => quoted.reduce((left, part) => left.replaceAll(part, '[key]'), text)
  return {
    ...failure,
    code: hide(code),
    message: hide(message),
    type: type && hide(type),
    param: param && hide(param),
  }
}

function waysToWrite(part: string): readonly string[] {
  if (part.length < PART_CHARS_MIN) return []
  const inForm = new URLSearchParams({ part }).toString().slice('part='.length)
  const bytes = Buffer.from(part)
  const inBase64 = bytes.toString('base64')
  const inHeaders = [inBase64, inBase64.replace(BASE64_END, ''), bytes.toString('base64url')]
  return [part, encodeURIComponent(part), inForm, ...inHeaders]
}
