import type { Secrets } from '#server/core/crypto.ts'
import { randomLetters } from '#server/core/ids.ts'
import type { Database } from '#server/db/engine/database.ts'
import { replaceRecoveryCodes, takeRecoveryCode } from './queries.ts'

const RECOVERY_CODE_PURPOSE = 'recovery-code'

const CODES = 10
const HALF_CHARS = 5
/** Without letters that look alike on paper. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Gives a user new codes, of which only hashes are stored. The former ones end. */
export async function createRecoveryCodes(
  db: Database,
  userId: number,
  secrets: Secrets,
): Promise<readonly string[]> {
  const half = () => randomLetters(HALF_CHARS, LETTERS)
  const codes = Array.from({ length: CODES }, () => `${half()}-${half()}`)
  await replaceRecoveryCodes(
    db,
    userId,
    codes.map(code => hashOf(code, userId, secrets)),
  )
  return codes
}

/** Uses a code up, however it was typed. False for a wrong or used one. */
export const spendRecoveryCode = (
  db: Database,
  userId: number,
  code: string,
  secrets: Secrets,
): Promise<boolean> => takeRecoveryCode(db, userId, hashOf(code, userId, secrets))

const hashOf = (code: string, userId: number, secrets: Secrets): string =>
  secrets.hash(RECOVERY_CODE_PURPOSE, `${userId} ${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
