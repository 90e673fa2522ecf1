import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 'v1.'

/**
 * What keeps secrets: encryption at rest (AES-256-GCM) and a keyed hash (HMAC-SHA-256) by which a secret is found
 * without being readable. Both keys derive from the installation's SECRET_KEY.
 */
export interface Secrets {
  /** Text that only `open` of the same installation can read. Two calls never give the same text. */
  seal(plain: string): string
  /** Throws when the text was changed or sealed with another SECRET_KEY. */
  open(sealed: string): string
  /** 64 hex digits; equal for equal input. `purpose` keeps hashes of different columns apart. */
  hash(purpose: string, plain: string): string
}

export function openSecrets(secretKey: string): Secrets {
  const encryptionKey = deriveKey(secretKey, 'encrypt')
  const keyedHash = new Bun.CryptoHasher('sha256', deriveKey(secretKey, 'hash'))
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce)
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return FORMAT + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    open(sealed) {
      try {
        return decipher(encryptionKey, Buffer.from(sealed.slice(FORMAT.length), 'base64'))
      } catch (cause) {
        throw new Error('it was sealed with another secret key, or is damaged', { cause })
      }
    },
    hash: (purpose, plain) => keyedHash.copy().update(`${purpose}\0${plain}`).digest('hex'),
  }
}

function decipher(key: Buffer, bytes: Buffer): string {
  const opening = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
  opening.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return opening.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + opening.final('utf8')
}

const deriveKey = (secretKey: string, use: string): Buffer =>
  createHash('sha256').update('tollgate').update('\0').update(use).update('\0').update(secretKey).digest()
