import { readStoredJson, writeStoredJson } from '../preferences/local-store.ts'
import { hasRole, type SessionUser } from '../session/session.ts'
import type { Screen } from './define-screen.ts'

interface ScreenModule {
  readonly screen: Screen
}

const modules = import.meta.glob<ScreenModule>('../../../features/*/console/**/index.tsx', { eager: true })
const development = import.meta.env.DEV
  ? await Promise.all(
      Object.values(import.meta.glob<ScreenModule>('../../kit/index.tsx')).map(load => load()),
    )
  : []

/** Every `index.tsx` below the console's half of a feature is a screen. The kit exists in development only. */
export const screens: readonly Screen[] = [...Object.values(modules), ...development].map(
  module => module.screen,
)

export const navScreens: readonly Screen[] = screens
  .filter(screen => screen.nav !== undefined)
  .toSorted((a, b) => (a.nav?.order ?? 0) - (b.nav?.order ?? 0))

/** Whether a screen exists. Builds may leave screens out. */
export const hasScreen = (path: string): boolean => screens.some(screen => screen.path === path)

/** Whether a screen exists and the user may open it. */
export const canOpenScreen = (path: string, user: SessionUser | undefined): boolean =>
  screens.some(screen => screen.path === path && hasRole(user, screen.role))

const RECENT_MAX = 6

/** Paths of the pages that this user opened last in this browser, newest first. */
export function recentPages(userId: number): readonly string[] {
  const stored = readStoredJson(`recent-${userId}`)
  const paths = Array.isArray(stored) ? stored.filter(path => typeof path === 'string') : []
  return paths.slice(0, RECENT_MAX)
}

/** Moves a page to the front of the user's recent pages. */
export function addRecentPage(userId: number, path: string): void {
  const others = recentPages(userId).filter(other => other !== path)
  writeStoredJson(`recent-${userId}`, [path, ...others].slice(0, RECENT_MAX))
}
