import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { ReconciliationHistory } from './history.tsx'
import { channelsQuery, reconciliationQuery } from './queries.ts'
import { ReconcileForm } from './reconcile-form.tsx'
import { ReconciliationResult } from './result.tsx'
import { ReconciliationSearch } from './search-params.ts'
import { useReconciliationText } from './text.ts'

/** Compares a provider's bill with the computed costs. The result that is open is kept in the URL. */
export function ReconciliationPanel() {
  const t = useReconciliationText()
  const { bill } = useSearchParams(ReconciliationSearch)
  const set = useSetSearchParams(ReconciliationSearch)
  const channels = useQuery(channelsQuery)
  const [openedId, setOpenedId] = useState('')
  const open = (id: number) => {
    setOpenedId(String(id))
    set({ bill: String(id) }, { push: true })
  }
  return (
    <div className="grid grid-cols-1 gap-6">
      <section
        aria-label={t('title')}
        className="grid grid-cols-1 gap-4 rounded-card border border-line bg-surface p-4"
      >
        <div>
          <h2 className="font-medium">{t('title')}</h2>
          <p className="mt-1 text-small text-muted">{t('help')}</p>
        </div>
        {channels.error && (
          <LoadError
            error={channels.error}
            isBusy={channels.isFetching}
            onRetry={() => void channels.refetch()}
          />
        )}
        {!channels.error && !channels.data && <Skeleton className="h-40 w-full" />}
        {channels.data && <ReconcileForm channels={channels.data} onMade={open} />}
      </section>
      {bill !== '' && (
        <OpenResult
          key={bill}
          id={Number(bill)}
          takesFocus={bill === openedId}
          onClose={() => set({ bill: '' }, { push: true })}
        />
      )}
      <ReconciliationHistory openId={bill} onOpen={open} onDeleted={id => id === bill && set({ bill: '' })} />
    </div>
  )
}

interface OpenResultProps {
  readonly id: number
  readonly takesFocus: boolean
  readonly onClose: () => void
}

function OpenResult({ id, takesFocus, onClose }: OpenResultProps) {
  const language = useLanguage()
  const { data, error, isFetching, refetch } = useQuery(reconciliationQuery(id, language))
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-80 w-full" />
  return <ReconciliationResult reconciliation={data} takesFocus={takesFocus} onClose={onClose} />
}
