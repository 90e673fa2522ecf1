import { useQuery } from '@tanstack/react-query'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatDateTime, formatNumber } from '#console/app/format/format.tsx'
import { useOptionForm } from '#console/app/settings/form.ts'
import { PRICE_OPTION_KEYS } from '#console/app/settings/price-options.ts'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { FeedForm } from './feed-form.tsx'
import { PriceHistory } from './history.tsx'
import { PriceProposals } from './proposals.tsx'
import { priceUpdatesQuery } from './queries.ts'
import { usePriceUpdateText } from './text.ts'

/** Reads prices from a feed, shows how they differ from those in force, and approves, pins and undoes them. */
export function PriceUpdatesPanel() {
  const t = usePriceUpdateText()
  const { edits } = useOptionForm()
  const { data: updates, error, isFetching, refetch } = useQuery(priceUpdatesQuery)
  const isLocked = edits.some(({ key }) => PRICE_OPTION_KEYS.some(price => price === key))
  return (
    <div className="grid grid-cols-1 gap-6">
      <FeedForm />
      {isLocked && <Banner tone="warning">{t('unsaved')}</Banner>}
      {error && <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />}
      {!error && !updates && <Skeleton className="h-40 w-full" />}
      {updates && updates.read_at > 0 && (
        <>
          <LastRead source={updates.source} readAt={updates.read_at} count={updates.row_count} />
          <Problems problems={updates.problems} />
          <PriceProposals updates={updates} isLocked={isLocked} />
        </>
      )}
      {updates?.read_at === 0 && <p className="text-muted">{t('never')}</p>}
      <PriceHistory isLocked={isLocked} />
    </div>
  )
}

interface LastReadProps {
  readonly source: string
  readonly readAt: number
  readonly count: number
}

function LastRead({ source, readAt, count }: LastReadProps) {
  const t = usePriceUpdateText()
  const language = useLanguage()
  return (
    <p className="text-small break-all text-muted">
      {t('lastRead', { source, time: formatDateTime(readAt), count: formatNumber(count, language) })}
    </p>
  )
}

interface ProblemsProps {
  readonly problems: ReadonlyArray<{ readonly model: string; readonly message: string }>
}

/** Rows of the feed that are wrong, with their reasons. */
function Problems({ problems }: ProblemsProps) {
  const t = usePriceUpdateText()
  if (problems.length === 0) return null
  return (
    <details className="text-small">
      <summary className="cursor-pointer font-medium text-warning">
        {t('problems', { count: problems.length })}
      </summary>
      <ul className="mt-2 grid max-h-60 gap-1 overflow-y-auto">
        {problems.map(({ model, message }) => (
          <li key={`${model} ${message}`} className="break-words">
            <code className="font-mono">{model}</code> {message}
          </li>
        ))}
      </ul>
    </details>
  )
}
