import { apiErrors } from '../core/api-error.ts'
import { nowSeconds } from '../core/clock.ts'
import { constantTimeEqual, MAIL_ADDRESS_PURPOSE, MAIL_CODE_PURPOSE, type Secrets } from '../core/crypto.ts'
import {
  attemptMailCode,
  consumeMailCode,
  deleteExpiredMailCodes,
  deleteMailCode,
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
      zh: '发送过于频繁，请在 {seconds} 秒后重试',
      en: 'an email was just sent; try again in {seconds} s',
    },
  },
  TOO_MANY_REQUESTS,
)

/** A code proves access to a mailbox, for one purpose only. */
export interface EmailCodeSubject {
  readonly purpose: 'verify' | 'reset' | 'reauthenticate'
  /** In lower case. */
  readonly address: string
}

/** A correct code that has not been consumed yet. */
export interface VerifiedCode {
  readonly addressHash: string
  readonly codeHash: string
}

interface EmailCodeDeps {
  readonly db: Database
  readonly secrets: Secrets
}

/** Stores a code in place of the previous one. Throws `mail_code.too_soon` (HTTP 429) within 30 seconds of it. */
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
  const createdAt = (await findMailCodeTime(parts.db, row.address_hash)) ?? now
  throw resendError('too_soon', { seconds: Math.max(1, createdAt + RESEND_SECONDS - now) })
}

/** Returns the code when it matches the stored one, ignoring case. Five wrong attempts invalidate the stored code. */
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

/** Consumes a code in the transaction of the change that it authorizes. False when it was consumed before. */
export const consumeEmailCode = (tx: Database, { addressHash, codeHash }: VerifiedCode): Promise<boolean> =>
  consumeMailCode(tx, addressHash, codeHash)

/** Deletes the code of an address, if there is one. */
export const cancelEmailCode = (
  tx: Database,
  subject: EmailCodeSubject,
  parts: Pick<EmailCodeDeps, 'secrets'>,
) => deleteMailCode(tx, addressHashOf(subject, parts))

const addressHashOf = (
  { purpose, address }: EmailCodeSubject,
  { secrets }: Pick<EmailCodeDeps, 'secrets'>,
): string => secrets.hash(MAIL_ADDRESS_PURPOSE, `${purpose} ${address}`)

const codeHashOf = (code: string, { secrets }: EmailCodeDeps): string =>
  secrets.hash(MAIL_CODE_PURPOSE, code.trim().toUpperCase())
