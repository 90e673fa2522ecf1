import { useLocation, useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect } from 'react'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useStore } from '../../ui/store.ts'
import { useLanguage } from '../../ui/text/text.ts'
import { queryClient } from '../api/query-client.ts'
import { useStatus } from '../api/status.ts'
import { useAppText } from '../app-text.ts'
import { chooseTheme, nextTheme } from '../preferences/appearance.ts'
import { toggleMask } from '../preferences/privacy.tsx'
import { isOffered, type Screen } from '../router/define-screen.ts'
import { addRecentPage, navScreens } from '../router/screens.ts'
import { useUser } from '../session/session.ts'
import { closeOverlay, openOverlay, openPalette, openShortcutSheet, useShortcut } from './shortcuts.ts'
import { chooseSidebar, useSidebarCollapsed } from './sidebar.tsx'

const palette = lazyPart(async () => (await import('./palette.tsx')).Palette)
const sheet = lazyPart(async () => (await import('./shortcut-sheet.tsx')).ShortcutSheet)

const IDLE_MS = 2000

const toggleTheme = (): void => chooseTheme(nextTheme())

/** Preloads the palette once the page's own requests are done, so that input typed right after the shortcut is not lost. */
function preloadWhenIdle(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const restart = () => {
    clearTimeout(timer)
    timer = setTimeout(preload, IDLE_MS)
  }
  const unsubscribe = queryClient.getQueryCache().subscribe(restart)
  const preload = () => {
    unsubscribe()
    void palette.preload()
  }
  restart()
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}

function focusSearch(): void {
  document.querySelector<HTMLElement>('[data-main-search]')?.focus()
}

/** Global shortcuts, with the palette and the shortcut list that they open. */
export function AppShortcuts() {
  const t = useAppText()
  const user = useUser()
  const status = useStatus()
  const overlay = useStore(openOverlay)
  const isCollapsed = useSidebarCollapsed()
  const toggleSidebar = useCallback(() => chooseSidebar(!isCollapsed), [isCollapsed])
  useEffect(preloadWhenIdle, [])
  useTrackRecentPages()
  useShortcut('mod+k', t('searchEverything'), openPalette)
  useShortcut('?', t('shortcuts'), openShortcutSheet)
  useShortcut('/', t('searchInPage'), focusSearch)
  useShortcut('m', t('maskOn'), toggleMask)
  useShortcut('t', t('theme'), toggleTheme)
  useShortcut('mod+b', t('collapseSidebar'), toggleSidebar)
  return (
    <>
      {navScreens
        .filter(screen => screen.nav?.key && isOffered(screen, user, status))
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

/** Records opened pages for the palette. */
function useTrackRecentPages(): void {
  const userId = useUser()?.id
  const path = useLocation({ select: location => location.pathname })
  useEffect(() => {
    if (userId !== undefined && navScreens.some(screen => screen.path === path)) addRecentPage(userId, path)
  }, [userId, path])
}

function GoTo({ screen }: { readonly screen: Screen }) {
  const t = useAppText()
  const language = useLanguage()
  const navigate = useNavigate()
  const go = useCallback(() => void navigate({ to: screen.path }), [navigate, screen])
  useShortcut(`g ${screen.nav?.key ?? ''}`, t('goTo', { name: screen.title[language] }), go)
  return null
}
