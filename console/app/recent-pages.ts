import { readStoredJson, writeStoredJson } from './local-store.ts'

const RECENT_MAX = 6

/** The addresses of the pages that this user opened last in this browser, newest first. */
export function recentPages(userId: number): readonly string[] {
  const stored = readStoredJson(`recent-${userId}`)
  const paths = Array.isArray(stored) ? stored.filter(path => typeof path === 'string') : []
  return paths.slice(0, RECENT_MAX)
}

/** Puts a page before the others of this user. */
export function keepRecentPage(userId: number, path: string): void {
  const others = recentPages(userId).filter(other => other !== path)
  writeStoredJson(`recent-${userId}`, [path, ...others].slice(0, RECENT_MAX))
}
