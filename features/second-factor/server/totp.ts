import { createHmac, randomBytes } from 'node:crypto'
import { nowSeconds } from '#server/core/clock.ts'
import { constantTimeEqual } from '#server/core/crypto.ts'

const PERIOD_SECONDS = 30
/** Clocks of telephones may be a step off. */
const STEPS_OFF = [0, -1, 1]
const SECRET_BYTES = 20
const DIGITS = 6
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BASE32_BITS = 5

/** A new secret of an authenticator app, in hexadecimal. */
export const createTotpSecret = (): string => randomBytes(SECRET_BYTES).toString('hex')

/** Source: RFC 4648, section 6. Twenty bytes need no padding. */
export const toBase32 = (secret: string): string =>
  Buffer.from(secret, 'hex')
    .reduce((bits, byte) => bits + byte.toString(2).padStart(8, '0'), '')
    .replace(/.{5}/g, bits => BASE32.charAt(Number.parseInt(bits.padEnd(BASE32_BITS, '0'), 2)))

/** The address that apps read from a QR code. Source: Key URI Format, wiki of google-authenticator. */
export function totpAddress(secret: string, issuer: string, account: string): string {
  const label = [issuer, account].map(encodeURIComponent).join(':')
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`
}

/** The step of a code, counted in 30 seconds since 1970; undefined for a wrong one. */
export function findTotpStep(secret: string, code: string): number | undefined {
  const typed = code.replace(/\s/g, '')
  const now = Math.floor(nowSeconds() / PERIOD_SECONDS)
  return STEPS_OFF.map(off => now + off).find(step => constantTimeEqual(codeAt(secret, step), typed))
}

/** Source: RFC 6238, and RFC 4226, section 5.3. */
function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', Buffer.from(secret, 'hex')).update(counter).digest()
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 0x0f) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}
