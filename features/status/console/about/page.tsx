import { useQuery } from '@tanstack/react-query'
import { LoadError } from '#console/app/api/load-error.tsx'
import { useStatus } from '#console/app/api/status.ts'
import { formatDateTime } from '#console/app/format/format.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { SiteContent } from '../site-content.tsx'
import { aboutQuery } from './queries.ts'
import { useScreenText } from './text.ts'

const PRODUCT = 'Tollgate'

export function AboutPage() {
  const t = useScreenText()
  const { data: source, error, isFetching, refetch } = useQuery(aboutQuery)
  const isOwn = source !== undefined && source !== ''
  return (
    <>
      <h1 tabIndex={-1} className={isOwn ? 'sr-only' : 'mx-auto mb-4 max-w-190 text-title font-semibold'}>
        {t('title')}
      </h1>
      {error && source === undefined ? (
        <div className="mx-auto max-w-190">
          <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
        </div>
      ) : source === undefined ? (
        <Skeleton className="mx-auto h-40 max-w-190" />
      ) : isOwn ? (
        <SiteContent source={source} title={t('title')} />
      ) : (
        <DefaultAbout />
      )}
    </>
  )
}

/** Shown while the operator has not written an about page. */
function DefaultAbout() {
  const t = useScreenText()
  const { system_name: system, version, start_time: started } = useStatus()
  const isAdmin = hasRole(useUser(), 'admin')
  return (
    <div className="mx-auto grid max-w-190 gap-4 rounded-card border border-line bg-surface p-5">
      <p>{system === PRODUCT ? t('introOwn') : t('intro', { system })}</p>
      <p className="text-muted">{t('licence')}</p>
      <KeyValues
        items={[
          { label: t('version'), value: version },
          { label: t('started'), value: started > 0 ? formatDateTime(started) : '-' },
        ]}
      />
      {isAdmin && <p className="text-small text-subtle">{t('own')}</p>}
    </div>
  )
}
