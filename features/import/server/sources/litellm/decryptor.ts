import { createDecipheriv, createHash } from 'node:crypto'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'

/** Decrypts a value of LiteLLM's database; undefined when it was encrypted with another key, or not at all. */
export type Decryptor = (encrypted: string) => string | undefined

const GCM = 'v2:gcm:'
const GCM_NONCE_BYTES = 12
const GCM_TAG_BYTES = 16
const BOX_NONCE_BYTES = 24

/** The key is the SHA-256 of the salt key. Values are urlsafe base64 of a NaCl secret box, or marked AES-256-GCM. */
export function createDecryptor(saltKey: string): Decryptor {
  const key = createHash('sha256').update(saltKey).digest()
  return encrypted => {
    try {
      return encrypted.startsWith(GCM)
        ? openGcm(key, Buffer.from(encrypted.slice(GCM.length), 'base64url'))
        : openBox(key, Buffer.from(encrypted, 'base64url'))
    } catch {
      return undefined
    }
  }
}

function openBox(key: Buffer, bytes: Buffer): string {
  const box = xsalsa20poly1305(key, bytes.subarray(0, BOX_NONCE_BYTES))
  return Buffer.from(box.decrypt(bytes.subarray(BOX_NONCE_BYTES))).toString('utf8')
}

function openGcm(key: Buffer, bytes: Buffer): string {
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, GCM_NONCE_BYTES))
  cipher.setAuthTag(bytes.subarray(-GCM_TAG_BYTES))
  return (
    cipher.update(bytes.subarray(GCM_NONCE_BYTES, -GCM_TAG_BYTES), undefined, 'utf8') + cipher.final('utf8')
  )
}
