import { Link } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { buttonClasses } from '../ui/button-classes.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { useText } from '../ui/text.ts'
import { appText } from './app-text.ts'

export function NoPermissionPage() {
  const t = useText(appText)
  return (
    <>
      <h1 className="sr-only">{t('noPermissionTitle')}</h1>
      <EmptyState
        icon={Lock}
        title={t('noPermissionTitle')}
        text={t('noPermissionText')}
        action={
          <Link to="/token" className={buttonClasses('primary')}>
            {t('console')}
          </Link>
        }
      />
    </>
  )
}
