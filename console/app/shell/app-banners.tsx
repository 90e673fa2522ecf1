import { useIsFetching, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { Button } from '../../ui/buttons/buttons.tsx'
import { Banner, type BannerTone } from '../../ui/feedback/feedback.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { CallError, useIsWaiting } from '../api/call.ts'
import { statusQuery } from '../api/status.ts'
import { useAppText } from '../app-text.ts'

function useOnline(): boolean {
  return useSyncExternalStore(
    changed => {
      window.addEventListener('online', changed)
      window.addEventListener('offline', changed)
      return () => {
        window.removeEventListener('online', changed)
        window.removeEventListener('offline', changed)
      }
    },
    () => navigator.onLine,
  )
}

const SLOW_MS = 8000

/** Whether a request has been pending for long. */
function useSlow(): boolean {
  const isWaiting = useIsFetching() > 0
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    if (!isWaiting) return setSlow(false)
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [isWaiting])
  return isSlow
}

/** Whether the server's version changed since this page was loaded. */
function useUpdate(): boolean {
  const { data, dataUpdatedAt } = useQuery(statusQuery)
  const version = dataUpdatedAt > 0 ? (data?.version ?? '') : ''
  const [first, setFirst] = useState(version)
  if (first === '' && version !== '') setFirst(version)
  return first !== '' && version !== '' && version !== first
}

/** Connection problems and available updates, above the page. */
export function AppBanners() {
  const t = useAppText()
  const k = useKitText()
  const isOnline = useOnline()
  const isSlow = useSlow()
  const isWaiting = useIsWaiting()
  const isUpdated = useUpdate()
  const { error, refetch, isFetching } = useQuery(statusQuery)
  if (!isOnline) return <Bar tone="warning">{t('offline')}</Bar>
  if (error) return <StatusFailure error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (isUpdated) {
    return (
      <Bar
        tone="info"
        action={
          <Button size="small" onClick={() => window.location.reload()}>
            {k('reload')}
          </Button>
        }
      >
        {t('updateAvailable')}
      </Bar>
    )
  }
  if (isWaiting) return <Bar tone="info">{t('waiting')}</Bar>
  return isSlow ? <Bar tone="info">{t('slow')}</Bar> : null
}

interface StatusFailureProps {
  readonly error: Error
  readonly isBusy: boolean
  readonly onRetry: () => void
}

function StatusFailure({ error, isBusy, onRetry }: StatusFailureProps) {
  const t = useAppText()
  const k = useKitText()
  const isUnreachable = error instanceof CallError && error.failure !== 'refused'
  return (
    <Bar
      tone="danger"
      action={
        <Button size="small" isBusy={isBusy} onClick={onRetry}>
          {k('retry')}
        </Button>
      }
    >
      {isUnreachable ? t('unreachable') : t('statusFailed')}
    </Bar>
  )
}

interface BarProps {
  readonly tone: BannerTone
  readonly action?: ReactNode
  readonly children: ReactNode
}

const Bar = ({ tone, action, children }: BarProps) => (
  <div className="px-3 pt-3 sm:px-4 lg:px-6">
    <Banner tone={tone} isAlert={tone === 'danger'} action={action}>
      {children}
    </Banner>
  </div>
)
