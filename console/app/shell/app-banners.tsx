import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { kitText } from '../../ui/kit-text.ts'
import { useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import { CallError } from '../call-error.ts'
import { statusQuery } from '../status.ts'

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

/** What is wrong with the way to the server, above everything else. */
export function AppBanners() {
  const t = useText(appText)
  const k = useText(kitText)
  const isOnline = useOnline()
  const { error, refetch, isFetching } = useQuery(statusQuery)
  if (!isOnline) return <Bar>{<Banner tone="warning">{t('offline')}</Banner>}</Bar>
  if (!error) return null
  const isUnreachable = error instanceof CallError && error.failure !== 'refused'
  return (
    <Bar>
      <Banner
        tone="danger"
        isAlert
        action={
          <Button size="small" isBusy={isFetching} onClick={() => void refetch()}>
            {k('retry')}
          </Button>
        }
      >
        {isUnreachable ? t('unreachable') : t('statusFailed')}
      </Banner>
    </Bar>
  )
}

const Bar = ({ children }: { readonly children: React.ReactNode }) => (
  <div className="px-3 pt-3 sm:px-4 lg:px-6">{children}</div>
)
