import type { Secrets } from '../core/crypto.ts'
import { findNewestTokenKey } from '../db/accounts/tokens.ts'
import { findNewestChannelKey } from '../db/channels/channels.ts'
import type { Database } from '../db/engine/database.ts'

/** Whether the secret key decrypts one of the newest secrets. `unused`: the database has none. */
export async function compareSecretKey(
  db: Database,
  secrets: Secrets,
): Promise<'matches' | 'differs' | 'unused'> {
  const keys = await Promise.all([findNewestTokenKey(db), findNewestChannelKey(db)])
  const encrypted = keys.filter(key => key !== undefined)
  if (encrypted.length === 0) return 'unused'
  return encrypted.some(text => canDecrypt(secrets, text)) ? 'matches' : 'differs'
}

function canDecrypt(secrets: Secrets, encrypted: string): boolean {
  try {
    secrets.decrypt(encrypted)
    return true
  } catch {
    return false
  }
}
