import { apiErrors } from '../core/api-error.ts'
import { nowSeconds } from '../core/clock.ts'
import { constantTimeEqual, MAIL_ADDRESS_PURPOSE, MAIL_CODE_PURPOSE, type Secrets } from '../core/crypto.ts'
import {
  attemptMailCode,
  consumeMailCode,
  deleteExpiredMailCodes,
  findMailCodeTime,
  replaceMailCode,
} from '../db/accounts/mail-codes.ts'
import type { Database } from '../db/engine/database.ts'

export const CODE_MINUTES = 10
const RESEND_SECONDS = 30
const ATTEMPTS_MAX = 5
const TOO_MANY_REQUESTS = 429

const resendError = apiErrors(
  'mail_code',
  {
    too_soon: {
      zh: '发送过于频繁，请在 {seconds} 秒后再试',
      en: 'a mail was sent just now, try again in {seconds} seconds',
    },
  },
  TOO_MANY_REQUESTS,
)

/** What a code proves: that somebody reads the mail of an address, for one purpose only. */
export interface EmailCodeSubject {
  readonly purpose: 'verify' | 'reset'
  /** In lower case. */
  readonly address: string
}

/** A code that was right, not yet spent. */
export interface VerifiedCode {
  readonly addressHash: string
  readonly codeHash: string
}

interface EmailCodeDeps {
  readonly db: Database
  readonly secrets: Secrets
}

/** Remembers a code in place of the one before. Refuses a second one within half a minute. */
export async function storeEmailCode(
  subject: EmailCodeSubject,
  code: string,
  parts: EmailCodeDeps,
): Promise<void> {
  const now = nowSeconds()
  await deleteExpiredMailCodes(parts.db, now)
  const row = {
    address_hash: addressHashOf(subject, parts),
    code_hash: codeHashOf(code, parts),
    created_at: now,
    expires_at: now + CODE_MINUTES * 60,
  }
  if (await replaceMailCode(parts.db, row, now - RESEND_SECONDS)) return
  const madeAt = (await findMailCodeTime(parts.db, row.address_hash)) ?? now
  throw resendError('too_soon', { seconds: Math.max(1, madeAt + RESEND_SECONDS - now) })
}

/** The code, when it is the one that was sent, in any case of its letters. A few wrong ones make it worthless. */
export async function verifyEmailCode(
  subject: EmailCodeSubject,
  code: string,
  parts: EmailCodeDeps,
): Promise<VerifiedCode | undefined> {
  const addressHash = addressHashOf(subject, parts)
  const limits = { nowSeconds: nowSeconds(), attemptsMax: ATTEMPTS_MAX }
  const expected = await attemptMailCode(parts.db, addressHash, limits)
  const codeHash = codeHashOf(code, parts)
  return expected !== undefined && constantTimeEqual(codeHash, expected)
    ? { addressHash, codeHash }
    : undefined
}

/** Spends a code in the transaction of what it allows. False when it was spent before. */
export const consumeEmailCode = (tx: Database, { addressHash, codeHash }: VerifiedCode): Promise<boolean> =>
  consumeMailCode(tx, addressHash, codeHash)

const addressHashOf = ({ purpose, address }: EmailCodeSubject, { secrets }: EmailCodeDeps): string =>
  secrets.hash(MAIL_ADDRESS_PURPOSE, `${purpose} ${address}`)

const codeHashOf = (code: string, { secrets }: EmailCodeDeps): string =>
  secrets.hash(MAIL_CODE_PURPOSE, code.trim().toUpperCase())
