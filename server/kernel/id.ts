import { nowMs } from './clock.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Largest multiple of 62 that fits a byte: bytes from here up are drawn again, so that no letter is likelier. */
const FAIR_BYTE_LIMIT = 248
const REQUEST_ID_RANDOM_LETTERS = 8

/** Letters and digits from the system's secure source. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte >= FAIR_BYTE_LIMIT || text.length === length) continue
      text += ALPHABET[byte % ALPHABET.length]
    }
  }
  return text
}

let lastSecond = -1
let secondText = ''
let sequence = 0

/**
 * One id per request: `yyyyMMddHHmmss` in UTC, nine digits that grow within the second, eight random letters.
 * Ids of one process sort by time, so indexes on them grow at their end.
 */
export function newRequestId(): string {
  const ms = nowMs()
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastSecond = second
    secondText = new Date(second * 1000).toISOString().slice(0, 19).replace(/[-T:]/g, '')
    sequence = 0
  }
  sequence = (sequence + 1) % 1_000_000
  const withinSecond = String(ms % 1000).padStart(3, '0') + String(sequence).padStart(6, '0')
  return secondText + withinSecond + randomText(REQUEST_ID_RANDOM_LETTERS)
}
