import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'

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
  /** 64 hex digits; equal for equal input. `purpose`: a `…_PURPOSE` constant, here or in a feature. */
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
const TOKEN_HASH_PURPOSE = 'token-key-sha256'
export const CHANNEL_KEY_PURPOSE = 'channel-key'
export const SESSION_PURPOSE = 'session'
export const DEVICE_PURPOSE = 'device'
export const ACCESS_TOKEN_PURPOSE = 'access-token'
export const REDEMPTION_PURPOSE = 'redemption'
export const MAIL_ADDRESS_PURPOSE = 'mail-address'
export const MAIL_CODE_PURPOSE = 'mail-code'
export const FIRST_STEP_PURPOSE = 'first-step'
/** Not stored: signs the callback URL at which a provider reports the state of a task. */
export const TASK_NOTICE_PURPOSE = 'task-notice'

/** 64 hex digits. */
export const sha256 = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** The hash under which a token is found whose key is known only by its SHA-256, prefix included. */
export const hashImportedKey = (secrets: Pick<Secrets, 'hash'>, keySha256: string): string =>
  secrets.hash(TOKEN_HASH_PURPOSE, keySha256)

/** Marks the SHA-256 of a key in the place of a key: keys are letters and digits. */
const KEY_SHA256 = 'sha256:'

export type TokenKey =
  | { readonly text: string; readonly sha256?: never }
  | { readonly sha256: string; readonly text?: never }

/** A stored token key: its lookup hash, and the key itself, or its SHA-256 where an import knew no more. */
export const storeTokenKey = (secrets: Secrets, key: TokenKey): { key_hash: string; key_sealed: string } =>
  key.text === undefined
    ? { key_hash: hashImportedKey(secrets, key.sha256), key_sealed: secrets.encrypt(KEY_SHA256 + key.sha256) }
    : { key_hash: secrets.hash(TOKEN_KEY_PURPOSE, key.text), key_sealed: secrets.encrypt(key.text) }

export function readTokenKey(secrets: Pick<Secrets, 'decrypt'>, encryptedKey: string): TokenKey {
  const text = secrets.decrypt(encryptedKey)
  return text.startsWith(KEY_SHA256) ? { sha256: text.slice(KEY_SHA256.length) } : { text }
}

/** Compares two secrets in a time that does not reveal where they differ. */
export function constantTimeEqual(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * The minimum that OWASP's Password Storage Cheat Sheet recommends for argon2id: 19 MiB, two passes. The runtime's
 * default of 64 MiB would dominate the memory peak of the gateway.
 */
const ARGON2ID = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Marks scrypt with N 16384, r 8 and p 1: base64 of a salt of 16 bytes and a key of 32 bytes. */
const SCRYPT = 'scrypt:'
const SCRYPT_COST = { N: 16_384, r: 8, p: 1 } as const
const SCRYPT_SALT_BYTES = 16
const SCRYPT_KEY_BYTES = 32
/** Marks an argon2id hash of the SHA-256 of the password, for accounts of which an import knew nothing else. */
const OF_SHA256 = 'sha256:'

const derive = promisify<string, Buffer, number, typeof SCRYPT_COST, Buffer>(scrypt)

export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, ARGON2ID)

let dummyHash: string | undefined

/** Made once it is needed: commands that check no password do not wait for it. */
function findDummyHash(): string {
  dummyHash ??= Bun.password.hashSync(crypto.randomUUID(), ARGON2ID)
  return dummyHash
}

/**
 * Compares a password with an argon2id hash, or with the hash of an imported account: bcrypt, or one of the two marked
 * forms. An empty hash takes as long as a real one, so that response times do not reveal which accounts exist.
 */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  if (hash.startsWith(SCRYPT)) return verifyScrypt(password, hash)
  if (hash.startsWith(OF_SHA256)) return Bun.password.verify(sha256(password), hash.slice(OF_SHA256.length))
  const isMatch = await Bun.password.verify(password, hash || findDummyHash())
  return isMatch && hash !== ''
}

async function verifyScrypt(password: string, hash: string): Promise<boolean> {
  const bytes = Buffer.from(hash.slice(SCRYPT.length), 'base64')
  const key = await derive(password, bytes.subarray(0, SCRYPT_SALT_BYTES), SCRYPT_KEY_BYTES, SCRYPT_COST)
  return constantTimeEqual(key.toString('hex'), bytes.subarray(SCRYPT_SALT_BYTES).toString('hex'))
}

/** Whether a hash of another gateway has the marked scrypt form. */
export const isScryptHash = (hash: string): boolean =>
  hash.startsWith(SCRYPT) &&
  Buffer.from(hash.slice(SCRYPT.length), 'base64').length === SCRYPT_SALT_BYTES + SCRYPT_KEY_BYTES

/** The stored password of an account whose import knew only a SHA-256: no plain SHA-256 is kept. */
export const hashPasswordSha256 = (passwordSha256: string): string =>
  OF_SHA256 + Bun.password.hashSync(passwordSha256, ARGON2ID)
