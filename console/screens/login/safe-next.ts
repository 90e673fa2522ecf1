const LANDING = '/token'

/** Where to go after signing in: back to where the visitor was, never to another site. */
export function safeNext(next: string): string {
  const isOwnPath = next.startsWith('/') && !next.startsWith('//') && !next.includes('\\')
  return isOwnPath && !next.startsWith('/login') ? next : LANDING
}
