import { nowSeconds } from '../core/clock.ts'
import { constantTimeEqual, MAIL_ADDRESS_PURPOSE, MAIL_CODE_PURPOSE, type Secrets } from '../core/crypto.ts'
import { attemptMailCode, consumeMailCode, deleteMailCode } from '../db/accounts/mail-codes.ts'
import type { Database } from '../db/engine/database.ts'

const ATTEMPTS_MAX = 5

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

export interface EmailCodeDeps {
  readonly db: Database
  readonly secrets: Secrets
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

export const addressHashOf = (
  { purpose, address }: EmailCodeSubject,
  { secrets }: Pick<EmailCodeDeps, 'secrets'>,
): string => secrets.hash(MAIL_ADDRESS_PURPOSE, `${purpose} ${address}`)

export const codeHashOf = (code: string, { secrets }: EmailCodeDeps): string =>
  secrets.hash(MAIL_CODE_PURPOSE, code.trim().toUpperCase())
