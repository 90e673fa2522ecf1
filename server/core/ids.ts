import { nowMs } from './clock.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** All texts of two letters. */
const PAIRS: readonly string[] = [...ALPHABET].flatMap(first => [...ALPHABET].map(second => first + second))
/** Largest multiple of their number that fits two bytes: what is drawn from here up is drawn again, so that none is likelier. */
const FAIR_LIMIT = 2 ** 16 - (2 ** 16 % PAIRS.length)
const BYTE = 2 ** 8
const REQUEST_ID_RANDOM_LETTERS = 8
const SECOND_MS = 1000
const THOUSAND = 1_000
const SEQUENCE_LIMIT = THOUSAND * THOUSAND
/** 000 to 999: to look three digits up costs a part of writing a number. */
const THREE_DIGITS: readonly string[] = Array.from({ length: THOUSAND }, (_, number) =>
  String(THOUSAND + number).slice(1),
)
const RANDOM_BYTES = 4096

const randomBytes = new Uint8Array(RANDOM_BYTES)
let randomBytesUsed = RANDOM_BYTES

/** Letters and digits from the system's secure source. */
export function randomAlphanumeric(length: number): string {
  let text = ''
  for (let letters = 0; letters < length; letters += 2) text += randomPair()
  return length % 2 === 0 ? text : text.slice(1)
}

function randomPair(): string {
  let drawn = FAIR_LIMIT
  while (drawn >= FAIR_LIMIT) drawn = randomByte() * BYTE + randomByte()
  return PAIRS[drawn % PAIRS.length] ?? ''
}

/** Drawn in lots, each byte given out once and forgotten. */
function randomByte(): number {
  if (randomBytesUsed === RANDOM_BYTES) {
    crypto.getRandomValues(randomBytes)
    randomBytesUsed = 0
  }
  const byte = randomBytes[randomBytesUsed] ?? 0
  randomBytes[randomBytesUsed] = 0
  randomBytesUsed += 1
  return byte
}

let lastMs = -1
let lastSecond = -1
let secondText = ''
let msText = ''
let sequence = 0

/**
 * One id per request: `yyyyMMddHHmmss` in UTC, nine digits that grow within the second, eight random letters.
 * Ids of one process sort by time, so indexes on them grow at their end.
 */
export function newRequestId(): string {
  const ms = nowMs()
  if (ms !== lastMs) writeTime(ms)
  sequence = (sequence + 1) % SEQUENCE_LIMIT
  const digits = `${THREE_DIGITS[Math.floor(sequence / THOUSAND)]}${THREE_DIGITS[sequence % THOUSAND]}`
  return msText + digits + randomAlphanumeric(REQUEST_ID_RANDOM_LETTERS)
}

function writeTime(ms: number): void {
  const second = Math.floor(ms / SECOND_MS)
  if (second !== lastSecond) {
    lastSecond = second
    secondText = new Date(second * SECOND_MS).toISOString().slice(0, 19).replace(/[-T:]/g, '')
    sequence = 0
  }
  lastMs = ms
  msText = secondText + THREE_DIGITS[ms % SECOND_MS]
}

/** Hexadecimal digits from the system's secure source, two a byte, never all zeros. */
export function randomHex(bytes: number): string {
  let text = ''
  for (let index = 0; index < bytes; index += 1)
    text += (index === 0 ? randomByte() | 1 : randomByte()).toString(16).padStart(2, '0')
  return text
}
