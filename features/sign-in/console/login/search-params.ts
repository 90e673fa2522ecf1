import { z } from 'zod'

const Text = z.string().catch('').default('')

/** `expired` shows a notice: `true` that the sign-in expired, `signed-out` that the user was signed out elsewhere; `next` is the page to return to, `aff` is an invitation code. */
export const LoginSearch = z.object({ expired: Text, next: Text, aff: Text })

const LANDING = '/token'

/**
 * The page to open after signing in. Ignores URLs of other sites, to prevent open redirects. For another user than before
 * the search is dropped: it names what the former one had open.
 */
export function safeNext(next: string, isReturning = true): string {
  const isOwnPath = next.startsWith('/') && !next.startsWith('//') && !next.includes('\\')
  if (!isOwnPath || next.startsWith('/login')) return LANDING
  return isReturning ? next : (next.split('?')[0] ?? LANDING)
}
