import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { z } from 'zod'

const SALT_BYTES = 16
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** 128 MiB and about half a second. Source: OWASP's Password Storage Cheat Sheet */
const COST = { N: 131_072, r: 8, p: 1 } as const
const MEMORY_BYTES_MAX = 256 * 1024 * 1024
const CHECK = 'tollgate-export'

/** How the secrets of a document are encrypted. A reader accepts no other parameters, so that none can exhaust it. */
export const Encryption = z.object({
  kdf: z.literal('scrypt'),
  N: z.literal(COST.N),
  r: z.literal(COST.r),
  p: z.literal(COST.p),
  cipher: z.literal('aes-256-gcm'),
  /** Base64. */
  salt: z.string(),
  /** A known text, encrypted: tells a wrong passphrase from a damaged secret. */
  check: z.string(),
})
export type Encryption = z.output<typeof Encryption>

/** `place` is part of what is authenticated: a secret cannot be moved to another row or field. */
export interface PassphraseCipher {
  readonly encryption: Encryption
  encrypt(plain: string, place: string): string
  /** Throws an Error when the text is damaged, or belongs to another place. */
  decrypt(encrypted: string, place: string): string
}

export function createPassphraseCipher(passphrase: string): PassphraseCipher {
  const salt = randomBytes(SALT_BYTES)
  const functions = cipherOf(passphrase, salt)
  const check = functions.encrypt(CHECK, CHECK)
  const encryption = {
    kdf: 'scrypt',
    ...COST,
    cipher: 'aes-256-gcm',
    salt: salt.toString('base64'),
    check,
  } as const
  return { encryption, ...functions }
}

/** Throws an Error for people when the passphrase is wrong. */
export function openPassphraseCipher(passphrase: string, encryption: Encryption): PassphraseCipher {
  const functions = cipherOf(passphrase, Buffer.from(encryption.salt, 'base64'))
  try {
    functions.decrypt(encryption.check, CHECK)
  } catch (cause) {
    throw new Error('the passphrase is wrong', { cause })
  }
  return { encryption, ...functions }
}

function cipherOf(passphrase: string, salt: Buffer): Pick<PassphraseCipher, 'encrypt' | 'decrypt'> {
  const key = scryptSync(passphrase, salt, KEY_BYTES, { ...COST, maxmem: MEMORY_BYTES_MAX })
  return {
    encrypt(plain, place) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    decrypt(encrypted, place) {
      const bytes = Buffer.from(encrypted, 'base64')
      const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
      cipher.setAAD(Buffer.from(place))
      cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + cipher.final('utf8')
    },
  }
}
