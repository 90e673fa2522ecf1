import { z } from 'zod'

const Text = z.string().catch('').default('')

/** `expired` shows a notice, `next` is the page to return to, `aff` is an invitation code. */
export const LoginSearch = z.object({ expired: Text, next: Text, aff: Text })

const LANDING = '/token'

/** The page to open after signing in. Ignores URLs of other sites, to prevent open redirects. */
export function safeNext(next: string): string {
  const isOwnPath = next.startsWith('/') && !next.startsWith('//') && !next.includes('\\')
  return isOwnPath && !next.startsWith('/login') ? next : LANDING
}
