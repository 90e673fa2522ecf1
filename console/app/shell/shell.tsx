import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { classes } from '../../ui/class-names.ts'
import { lazyPart } from '../../ui/lazy-part.ts'
import { PHONE, useMedia } from '../../ui/use-media.ts'
import { useStatus } from '../api/status.ts'
import { useAppText } from '../app-text.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'
import type { Screen } from '../router/define-screen.ts'
import { useUser } from '../session/session.ts'
import { AppBanners } from './app-banners.tsx'
import { AppShortcuts } from './app-shortcuts.tsx'
import { Header } from './header.tsx'
import { Sidebar } from './sidebar.tsx'
import { UnnamedProxyBanner } from './unnamed-proxy-banner.tsx'

interface ShellProps {
  readonly layout: NonNullable<Screen['layout']>
  readonly children: ReactNode
}

const drawer = lazyPart(async () => (await import('./nav-drawer.tsx')).NavDrawer)

/** Layout with header, sidebar and footer. */
export function Shell({ layout, children }: ShellProps) {
  const t = useAppText()
  const isPhone = useMedia(PHONE)
  const user = useUser()
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const hasSidebar = (layout === 'shell' || layout === 'workspace') && user !== undefined && !isPhone
  const isFilled = layout === 'frame' || layout === 'workspace'
  return (
    <div className={classes('flex flex-col', layout === 'workspace' ? 'h-dvh' : 'min-h-dvh')}>
      <a
        href="#content"
        className="sr-only z-70 rounded-control bg-primary px-4 py-2 text-on-primary focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {t('skipToContent')}
      </a>
      <Header onOpenMenu={() => setDrawerOpen(true)} />
      <AppBanners />
      <UnnamedProxyBanner />
      <div className={classes('flex flex-1', layout === 'workspace' && 'min-h-0')}>
        {hasSidebar && <Sidebar />}
        <div className="flex min-w-0 flex-1 flex-col">
          <main
            id="content"
            className={classes(
              'flex-1',
              layout === 'workspace' && 'min-h-0',
              !isFilled && 'px-3 py-4 sm:px-4 lg:p-6',
            )}
          >
            {children}
          </main>
          {!isFilled && <Footer />}
        </div>
      </div>
      <AppShortcuts />
      <AppReminders />
      <Suspense fallback={null}>
        {isDrawerOpen && <drawer.Part onClose={() => setDrawerOpen(false)} />}
      </Suspense>
    </div>
  )
}

const html = lazyPart(async () => (await import('../../ui/text/rich-text.tsx')).RichText)

/** The operator's footer, else the version. */
export function Footer() {
  const t = useAppText()
  const { footer_html: own, version } = useStatus()
  return (
    <footer className="px-4 pt-2 pb-6 text-center text-caption text-subtle">
      {own === '' ? (
        <span>
          <Link to="/about" className="hover:text-fg hover:underline">
            {t('credit')}
          </Link>
          {version && ` · ${t('version', { version })}`}
        </span>
      ) : (
        <Suspense fallback={null}>
          <html.Part source={own} />
        </Suspense>
      )}
    </footer>
  )
}

const passwordDialog = lazyPart(async () => (await import('./reminder-dialogs.tsx')).PasswordDialog)
const newYearGreeting = lazyPart(async () => (await import('./reminder-dialogs.tsx')).NewYearGreeting)

const thisYear = (): string => String(new Date().getFullYear())

const isNewYearsDay = (): boolean => {
  const today = new Date()
  return today.getMonth() === 0 && today.getDate() === 1
}

/** Unprompted dialogs: changing the initial password, and the New Year greeting. */
export function AppReminders() {
  const user = useUser()
  const [isPutOff, setPutOff] = useState(false)
  const [isGreeted, setGreeted] = useState(() => !isNewYearsDay() || readStored('new-year') === thisYear())
  const greeted = () => {
    writeStored('new-year', thisYear())
    setGreeted(true)
  }
  return (
    <Suspense fallback={null}>
      {user?.must_change_password && !isPutOff && (
        <passwordDialog.Part user={user} onClose={() => setPutOff(true)} />
      )}
      {!isGreeted && <newYearGreeting.Part onClose={greeted} />}
    </Suspense>
  )
}
