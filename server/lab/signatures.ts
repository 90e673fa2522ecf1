import { createHmac, timingSafeEqual } from 'node:crypto'

/** Fixed, so that equal requests get equal bytes. */
const SECRET = 'the secret of the lab'
const MAC_CHARS = 22

const mac = (text: string): string =>
  createHmac('sha256', SECRET).update(text).digest('base64url').slice(0, MAC_CHARS)

/** Signs content that a client must return unchanged. */
export const signContent = (content: string): string => Buffer.from(mac(content)).toString('base64')

/** Whether a signature is the lab's for this content. */
export function isSignatureOf(content: string, signature: string): boolean {
  const [own, other] = [Buffer.from(signContent(content)), Buffer.from(signature)]
  return own.length === other.length && timingSafeEqual(own, other)
}

/** Stands for encrypted content: it tells the account that it was made for, and cannot be forged. */
export function encryptContent(account: string, text: string): string {
  const [owner, content] = [mac(account), mac(text)]
  return Buffer.from(JSON.stringify([owner, content, mac(owner + content)])).toString('base64')
}

/** How encrypted content that a client returns relates to an account. */
export function readEncrypted(account: string, encrypted: string): 'own' | 'foreign' | 'unreadable' {
  const [owner = '', content = '', signature] = parseEncrypted(encrypted)
  if (signature !== mac(owner + content)) return 'unreadable'
  return owner === mac(account) ? 'own' : 'foreign'
}

function parseEncrypted(encrypted: string): readonly (string | undefined)[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(encrypted, 'base64').toString())
    return Array.isArray(parts) ? parts.map(part => (typeof part === 'string' ? part : undefined)) : []
  } catch {
    return []
  }
}
