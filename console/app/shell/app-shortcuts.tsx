import { useLocation, useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect } from 'react'
import { useStore } from '../../ui/create-store.ts'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useLanguage, useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import type { Screen } from '../define-screen.ts'
import { toggleMask } from '../mask.ts'
import { closeOverlay, openOverlay, openPalette, openShortcutSheet } from '../palette-state.ts'
import { keepRecentPage } from '../recent-pages.ts'
import { navScreens } from '../screens.ts'
import { mayAct, useUser } from '../session.ts'
import { useShortcut } from '../shortcuts.ts'
import { chooseSidebar, useSidebarCollapsed } from '../sidebar-state.ts'
import { chooseTheme, nextTheme } from '../theme.ts'

const palette = lazyPart(async () => (await import('./palette.tsx')).Palette)
const sheet = lazyPart(async () => (await import('./shortcut-sheet.tsx')).ShortcutSheet)

const IDLE_MS = 2000

const switchTheme = (): void => chooseTheme(nextTheme())

/** So that what is typed right after the keys is not lost. */
function fetchWhenIdle(): () => void {
  const timer = setTimeout(palette.preload, IDLE_MS)
  return () => clearTimeout(timer)
}

function focusSearch(): void {
  document.querySelector<HTMLElement>('[data-main-search]')?.focus()
}

/** The keys that work on every page, and the two helpers they open. */
export function AppShortcuts() {
  const t = useText(appText)
  const user = useUser()
  const overlay = useStore(openOverlay)
  const isCollapsed = useSidebarCollapsed()
  const switchSidebar = useCallback(() => chooseSidebar(!isCollapsed), [isCollapsed])
  useEffect(fetchWhenIdle, [])
  useRecentPages()
  useShortcut('mod+k', t('searchEverything'), openPalette)
  useShortcut('?', t('shortcuts'), openShortcutSheet)
  useShortcut('/', t('searchInPage'), focusSearch)
  useShortcut('m', t('maskOn'), toggleMask)
  useShortcut('t', t('theme'), switchTheme)
  useShortcut('mod+b', t('collapseSidebar'), switchSidebar)
  return (
    <>
      {navScreens
        .filter(screen => screen.nav?.key && mayAct(user, screen.role))
        .map(screen => (
          <GoTo key={screen.path} screen={screen} />
        ))}
      <Suspense fallback={null}>
        {overlay === 'palette' && <palette.Part onClose={closeOverlay} />}
        {overlay === 'shortcuts' && <sheet.Part onClose={closeOverlay} />}
      </Suspense>
    </>
  )
}

/** Keeps which pages were opened lately, for the palette. */
function useRecentPages(): void {
  const userId = useUser()?.id
  const path = useLocation({ select: location => location.pathname })
  useEffect(() => {
    if (userId !== undefined && navScreens.some(screen => screen.path === path)) keepRecentPage(userId, path)
  }, [userId, path])
}

function GoTo({ screen }: { readonly screen: Screen }) {
  const t = useText(appText)
  const language = useLanguage()
  const navigate = useNavigate()
  const go = useCallback(() => void navigate({ to: screen.path }), [navigate, screen])
  useShortcut(`g ${screen.nav?.key ?? ''}`, t('goTo', { name: screen.title[language] }), go)
  return null
}
