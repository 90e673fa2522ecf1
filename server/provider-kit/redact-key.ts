import type { Failure } from './failures.ts'

/** Shorter parts of a key may be ordinary words. */
const PART_CHARS_MIN = 8
const PART_SEPARATOR = /[|\n]/
const BASE64_PADDING = /=+$/

/**
 * Removes the channel's key from everything in a failure that clients see. Covers the parts of a composite key, and the
 * encodings of URLs, forms and headers.
 */
export function redactKey(failure: Failure, key: string): Failure {
  const { code, message, messageZh, type, param } = failure
  const secrets = [key, ...key.split(PART_SEPARATOR)].flatMap(encodings)
  const containsSecret = (text: string | undefined) =>
    text !== undefined && secrets.some(secret => text.includes(secret))
  if (![code, message, messageZh, type, param].some(containsSecret)) return failure
  const redact = (text: string) => secrets.reduce((left, secret) => left.replaceAll(secret, '[key]'), text)
  return {
    ...failure,
    code: redact(code),
    message: redact(message),
    messageZh: messageZh && redact(messageZh),
    type: type && redact(type),
    param: param && redact(param),
  }
}

function encodings(part: string): readonly string[] {
  if (part.length < PART_CHARS_MIN) return []
  const inForm = new URLSearchParams({ part }).toString().slice('part='.length)
  const bytes = Buffer.from(part)
  const base64 = bytes.toString('base64')
  const inHeaders = [base64, base64.replace(BASE64_PADDING, ''), bytes.toString('base64url')]
  return [part, encodeURIComponent(part), inForm, ...inHeaders]
}
