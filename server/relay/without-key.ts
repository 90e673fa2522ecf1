import type { Failure } from '../provider-kit/failure.ts'

/** Shorter parts of a key are words that stand in any sentence. */
const PART_CHARS_MIN = 8
const BETWEEN_PARTS = /[|\n]/

/** A failure whose sentence does not hold the channel's key, nor a part of one that is made of several. */
export function withoutKey(failure: Failure, key: string): Failure {
  const parts = [key, ...key.split(BETWEEN_PARTS)].filter(part => part.length >= PART_CHARS_MIN)
  const message = parts.reduce((text, part) => text.replaceAll(part, '[key]'), failure.message)
  return message === failure.message ? failure : { ...failure, message }
}
