import { Link, useLocation } from '@tanstack/react-router'
import { Compass, Lock, Search } from 'lucide-react'
import { useEffect } from 'react'
import { Button } from '../../ui/buttons/buttons.tsx'
import { buttonClasses } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/feedback/feedback.tsx'
import { useLanguage } from '../../ui/text/text.ts'
import { useStatus } from '../api/status.ts'
import { useAppText } from '../app-text.ts'
import { hasRole, useUser } from '../session/session.ts'
import { Shell } from '../shell/shell.tsx'
import { openPalette } from '../shell/shortcuts.ts'
import { acting } from './define-screen.ts'
import { closestPath } from './nearest-address.ts'
import { screens } from './screens.ts'
import { useMissingText } from './text.ts'

export function NotFoundPage() {
  const t = useMissingText()
  const { system_name: system } = useStatus()
  useEffect(() => {
    document.title = `${t('notFoundTitle')} - ${system}`
  }, [t, system])
  return (
    <Shell layout="plain">
      <h1 className="sr-only">{t('notFoundTitle')}</h1>
      <EmptyState
        icon={Compass}
        title={t('notFoundTitle')}
        text={t('notFoundText')}
        action={
          <span className="flex flex-wrap justify-center gap-2">
            <Link to="/" className={buttonClasses('primary')}>
              {t('backHome')}
            </Link>
            <DidYouMean />
            <Button icon={Search} onClick={openPalette}>
              {t('searchPages')}
            </Button>
          </span>
        }
      />
    </Shell>
  )
}

/** Link to the page with the closest name among the user's pages. */
function DidYouMean() {
  const t = useMissingText()
  const language = useLanguage()
  const user = useUser()
  const { pathname } = useLocation()
  const open = screens.filter(({ role }) => hasRole(user, role))
  const path = closestPath(
    pathname,
    open.map(screen => screen.path),
  )
  const screen = open.find(candidate => candidate.path === path)
  if (!screen) return null
  return (
    <Link to={screen.path} className={buttonClasses('default')}>
      {t('didYouMean', { page: screen.title[language] })}
    </Link>
  )
}

export function NoPermissionPage() {
  const t = useAppText()
  const m = useMissingText()
  return (
    <>
      <h1 className="sr-only">{m('noPermissionTitle')}</h1>
      <EmptyState
        icon={Lock}
        title={m('noPermissionTitle')}
        text={acting.limit?.why() ?? m('noPermissionText')}
        action={
          <Link to="/token" className={buttonClasses('primary')}>
            {t('console')}
          </Link>
        }
      />
    </>
  )
}
