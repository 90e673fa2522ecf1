import { readStored, writeStored } from '../preferences/local-store.ts'

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

/** Keeps the page to open for visitors who come back from an identity provider. Empty: none. */
export const keepNext = (next: string): void => void writeStored('next', next || undefined)
export const keptNext = (): string => safeNext(readStored('next') ?? '')
