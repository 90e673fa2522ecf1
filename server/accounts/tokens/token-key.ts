import { hashImportedKey, type Secrets, sha256, TOKEN_KEY_PURPOSE } from '../../core/crypto.ts'
import { randomAlphanumeric } from '../../core/ids.ts'
import { findCallersByFormerHash, findCallersByKeyHash } from '../../db/accounts/tokens.ts'
import type { Database } from '../../db/engine/database.ts'

/** Tells keys of Tollgate from other texts, for programs that search code and logs for secrets. */
const MARK = 'tlgt'
const RANDOM_LENGTH = 38
const CHECKSUM_LENGTH = 6
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A random key of 48 letters and digits, without `sk-`: a mark, 226 random bits, and a checksum of both. */
export function randomTokenKey(): string {
  const text = MARK + randomAlphanumeric(RANDOM_LENGTH)
  return text + checksumOf(text)
}

/** CRC-32 in base 62, most significant digit first: a scanner tells a key from a text that only looks like one. */
function checksumOf(text: string): string {
  let rest = Bun.hash.crc32(text)
  let digits = ''
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = BASE62.charAt(rest % BASE62.length) + digits
    rest = Math.floor(rest / BASE62.length)
  }
  return digits
}

/** The token with this key, as a client may send it. Undefined: there is none, or it is deleted. */
export async function findTokenByKey(db: Database, presented: string, secrets: Pick<Secrets, 'hash'>) {
  const text = presented.replace(/^Bearer\s+/i, '').trim()
  const bare = text.replace(/^sk-/, '')
  const hash = (key: string) => secrets.hash(TOKEN_KEY_PURPOSE, key)
  // Administrators may have named a channel behind the key.
  const hashes = [hash(bare), hash(bare.split('-')[0] ?? ''), hashImportedKey(secrets, sha256(`sk-${bare}`))]
  const rows = await findCallersByKeyHash(db, hashes)
  const former = await findCallersByFormerHash(db, hashes)
  return hashes.map(found => rows.get(found) ?? former.get(found)).find(row => row !== undefined)
}
