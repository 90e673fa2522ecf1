import { Link, useLocation } from '@tanstack/react-router'
import { Compass, Search } from 'lucide-react'
import { useEffect } from 'react'
import { Button } from '../ui/button.tsx'
import { buttonClasses } from '../ui/button-classes.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { useLanguage, useText } from '../ui/text.ts'
import { appText } from './app-text.ts'
import { nearestAddress } from './nearest-address.ts'
import { openPalette } from './palette-state.ts'
import { screens } from './screens.ts'
import { mayAct, useUser } from './session.ts'
import { Shell } from './shell/shell.tsx'
import { useStatus } from './status.ts'

export function NotFoundPage() {
  const t = useText(appText)
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
            <Meant />
            <Button icon={Search} onClick={openPalette}>
              {t('searchPages')}
            </Button>
          </span>
        }
      />
    </Shell>
  )
}

/** The page that was probably meant, among those that this reader may open. */
function Meant() {
  const t = useText(appText)
  const language = useLanguage()
  const user = useUser()
  const { pathname } = useLocation()
  const open = screens.filter(({ role }) => mayAct(user, role))
  const path = nearestAddress(
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
