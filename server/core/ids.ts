import { nowMs } from './clock.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Letters and digits from the system's secure random source. */
export const randomAlphanumeric = (length: number): string => randomLetters(length, ALPHABET)

/** Letters of an alphabet, at most 256 of them, from the system's secure random source. */
export function randomLetters(length: number, alphabet: string): string {
  // The largest multiple of the alphabet's size that fits a byte. Bytes from here up are drawn again to avoid a bias.
  const unbiasedLimit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length)
    for (const byte of randomBytes(length - text.length))
      if (byte < unbiasedLimit) text += alphabet.charAt(byte % alphabet.length)
  return text
}

/** Two hexadecimal digits a byte, never all zeros: trace and span ids of zeros are invalid. */
export function randomHex(bytes: number): string {
  const random = randomBytes(bytes)
  if (random.every(byte => byte === 0)) return randomHex(bytes)
  return random.toHex()
}

const randomBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count))

const SECOND_MS = 1000
const SEQUENCE_DIGITS = 6
const SEQUENCE_LIMIT = 10 ** SEQUENCE_DIGITS
const RANDOM_CHARS = 8

let sequence = 0
let sequenceSecond = -1

/**
 * One id for each request: the UTC time as `yyyyMMddHHmmssSSS`, six digits that grow within the second, and eight random
 * characters. The ids of one process sort by time, so indexes on them grow at their end.
 */
export function newRequestId(): string {
  const ms = nowMs()
  const second = Math.floor(ms / SECOND_MS)
  if (second !== sequenceSecond) {
    sequenceSecond = second
    sequence = 0
  }
  sequence = (sequence + 1) % SEQUENCE_LIMIT
  const time = new Date(ms).toISOString().replace(/\D/g, '')
  return time + String(sequence).padStart(SEQUENCE_DIGITS, '0') + randomAlphanumeric(RANDOM_CHARS)
}

const HANDLE_CHARS = 22

/** Stands for an id or encrypted content that only the account can read that made it. Always 22 characters. */
export const toHandle = (idOrContent: string): string =>
  new Bun.CryptoHasher('sha256').update(idOrContent).digest('base64url').slice(0, HANDLE_CHARS)
