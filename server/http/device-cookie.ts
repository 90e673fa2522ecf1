import { constantTimeEqual, DEVICE_PURPOSE, type Secrets } from '../core/crypto.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import type { CookieScope } from './authenticate.ts'

const YEAR_SECONDS = 365 * 24 * 3600
const ID_CHARS = 16

/**
 * The cookie that a browser keeps after signing in to an account, so that failed sign-ins of others do not count against
 * it. It proves no identity. Source: OWASP, "Device cookies" (slow down guessing without locking accounts).
 */
export function createDeviceCookie(
  userId: number,
  { basePath, isSecure }: CookieScope,
  secrets: Secrets,
): string {
  const id = randomAlphanumeric(ID_CHARS)
  const attributes = `Path=${basePath}/api/user; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return `${nameOf(userId)}=${id}.${signatureOf(userId, id, secrets)}; ${attributes}`
}

/** The id of the device, if it has signed in to this account before. */
export function readDevice(request: Request, userId: number, secrets: Secrets): string | undefined {
  const pattern = new RegExp(
    `(?:^|;\\s*)${nameOf(userId)}=([A-Za-z0-9]{${ID_CHARS}})\\.([0-9a-f]{64})(?:;|$)`,
  )
  const [, id, signature] = pattern.exec(request.headers.get('cookie') ?? '') ?? []
  if (id === undefined || signature === undefined) return undefined
  return constantTimeEqual(signature, signatureOf(userId, id, secrets)) ? id : undefined
}

const nameOf = (userId: number): string => `device-${userId}`

const signatureOf = (userId: number, id: string, secrets: Secrets): string =>
  secrets.hash(DEVICE_PURPOSE, `${userId} ${id}`)
