import type { Secrets } from '../core/crypto.ts'
import type { Database } from '../db/engine/database.ts'
import { newestSealed } from '../db/accounts/tokens.ts'

/**
 * Throws when the secret key opens nothing of what is stored: a database without its key, or a machine with one of its
 * own, would refuse every caller and seal new secrets that the others cannot read.
 */
export async function requireOwnKey(db: Database, secrets: Secrets): Promise<void> {
  const sealed = await newestSealed(db)
  if (sealed.length > 0 && !sealed.some(text => opens(secrets, text)))
    throw new Error(
      'the secret key does not open what is stored in this database: put its own back (SECRET_KEY, or the file secret-key in DATA_DIR); if it is lost, see docs/operations/operations.md',
    )
}

function opens(secrets: Secrets, sealed: string): boolean {
  try {
    secrets.decrypt(sealed)
    return true
  } catch {
    return false
  }
}
