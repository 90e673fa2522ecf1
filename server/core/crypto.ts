import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Prefix of every encrypted text, so that the format can change later. */
const FORMAT = 'v1.'

/**
 * Encryption at rest (AES-256-GCM), and a keyed hash (HMAC-SHA-256) that finds a secret without storing it readably.
 * Both keys derive from the installation's SECRET_KEY.
 */
export interface Secrets {
  /** Returns different text on every call, since each has a random nonce. */
  encrypt(plain: string): string
  /** Throws when the text is damaged or was encrypted with another SECRET_KEY. */
  decrypt(encrypted: string): string
  /** 64 hex digits; equal for equal input. `purpose` is one of the `…_PURPOSE` constants. */
  hash(purpose: string, plain: string): string
}

export function createSecrets(secretKey: string): Secrets {
  const encryptionKey = deriveKey(secretKey, 'encrypt')
  const keyedHash = new Bun.CryptoHasher('sha256', deriveKey(secretKey, 'hash'))
  return {
    encrypt(plain) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce)
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return FORMAT + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    decrypt(encrypted) {
      try {
        return decipher(encryptionKey, Buffer.from(encrypted.slice(FORMAT.length), 'base64'))
      } catch (cause) {
        throw new Error('the text is damaged or was encrypted with another secret key', { cause })
      }
    },
    hash: (purpose, plain) => keyedHash.copy().update(`${purpose}\0${plain}`).digest('hex'),
  }
}

function decipher(key: Buffer, bytes: Buffer): string {
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
  cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + cipher.final('utf8')
}

const deriveKey = (secretKey: string, use: string): Buffer =>
  createHash('sha256').update('tollgate').update('\0').update(use).update('\0').update(secretKey).digest()

/** Purposes of `Secrets.hash`: one for each column, so that equal secrets in two columns have different hashes. */
export const TOKEN_KEY_PURPOSE = 'token-key'
/** For keys of which an import knows nothing but their SHA-256. */
export const TOKEN_HASH_PURPOSE = 'token-key-sha256'
export const CHANNEL_KEY_PURPOSE = 'channel-key'
export const SESSION_PURPOSE = 'session'
export const DEVICE_PURPOSE = 'device'
export const ACCESS_TOKEN_PURPOSE = 'access-token'
export const REDEMPTION_PURPOSE = 'redemption'
export const MAIL_ADDRESS_PURPOSE = 'mail-address'
export const MAIL_CODE_PURPOSE = 'mail-code'
export const DEVICE_CODE_PURPOSE = 'device-code'
export const USER_CODE_PURPOSE = 'user-code'
export const REFRESH_TOKEN_PURPOSE = 'refresh-token'
export const NETWORK_PURPOSE = 'network'
/** Not stored: signs the callback URL at which a vendor reports the state of a task. */
export const TASK_NOTICE_PURPOSE = 'task-notice'

/** Compares two secrets in a time that does not reveal where they differ. */
export function constantTimeEqual(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
