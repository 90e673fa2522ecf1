import { z } from 'zod'

const Text = z.string().catch('').default('')

/** `expired` shows the notice; `next` is where the visitor was going; `aff` the inviter's code. */
export const LoginSearch = z.object({ expired: Text, next: Text, aff: Text })

const LANDING = '/token'

/** Where to go after signing in: back to where the visitor was, never to another site. */
export function safeNext(next: string): string {
  const isOwnPath = next.startsWith('/') && !next.startsWith('//') && !next.includes('\\')
  return isOwnPath && !next.startsWith('/login') ? next : LANDING
}
