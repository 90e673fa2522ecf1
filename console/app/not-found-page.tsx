import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { useEffect } from 'react'
import { buttonClasses } from '../ui/button-classes.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { useText } from '../ui/text.ts'
import { appText } from './app-text.ts'
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
          <Link to="/" className={buttonClasses('primary')}>
            {t('backHome')}
          </Link>
        }
      />
    </Shell>
  )
}
