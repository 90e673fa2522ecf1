import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { formatNumber, TimeText } from '#console/app/format/format.tsx'
import { hasScreen } from '#console/app/router/screens.ts'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { LogEntry } from '#features/logs/contract/logs.ts'
import type { Dashboard } from './dashboard.ts'
import { errorsQuery, facetsQuery, NO_FAILURES } from './queries.ts'
import { useScreenText } from './text.ts'

const TOKENS_SHOWN = 6
const PERCENT = 100

/** The most recent failures and the most used tokens. */
export function ListsPanel({ dashboard }: { readonly dashboard: Dashboard }) {
  return (
    <div className="mt-4 grid gap-4 lg:grid-cols-2">
      <RecentErrors dashboard={dashboard} />
      <TopTokens dashboard={dashboard} />
    </div>
  )
}

function RecentErrors({ dashboard: { scope, period } }: { readonly dashboard: Dashboard }) {
  const t = useScreenText()
  const errors = useQuery(errorsQuery(scope, period))
  const search = {
    not_type: NO_FAILURES.join('\n'),
    from: String(period.start),
    to: String(period.end),
    user: scope.username,
    split: 'error',
  }
  const allErrors = hasScreen('/log') && (errors.data?.total ?? 0) > 0 && (
    <Link to="/log" search={search} className="rounded-control text-accent hover:underline">
      {t('allErrors')}
    </Link>
  )
  return (
    <Panel title={t('errors')} aside={allErrors} error={errors.data ? null : errors.error}>
      {errors.data?.items.length === 0 ? (
        <p className="py-6 text-center text-small text-muted">{t('noErrors')}</p>
      ) : (
        <ul>
          {errors.data?.items.map(entry => <ErrorRow key={entry.id} entry={entry} />) ?? <ListSkeleton />}
        </ul>
      )}
    </Panel>
  )
}

function ErrorRow({ entry }: { readonly entry: LogEntry }) {
  return (
    <li className="grid gap-0.5 border-t border-line py-2 text-small first:border-t-0">
      <span className="flex items-baseline gap-3">
        <Link
          to="/log"
          search={{ request: entry.request_id, row: String(entry.id) }}
          className="min-w-0 truncate rounded-control font-mono text-accent hover:underline"
        >
          {entry.model_name || entry.token_name || entry.request_id}
        </Link>
        <span className="ml-auto text-caption text-muted">
          <TimeText unixSeconds={entry.created_at} />
        </span>
      </span>
      <span className="truncate text-caption text-muted" title={entry.content}>
        {entry.content}
      </span>
    </li>
  )
}

function TopTokens({ dashboard: { scope, period } }: { readonly dashboard: Dashboard }) {
  const t = useScreenText()
  const language = useLanguage()
  const facets = useQuery(facetsQuery(scope, period))
  const tokens = facets.data?.tokens.filter(({ value }) => value !== '').slice(0, TOKENS_SHOWN)
  const countMax = Math.max(...(tokens ?? []).map(({ count }) => count), 1)
  return (
    <Panel title={t('topTokens')} error={facets.data ? null : facets.error}>
      {tokens?.length === 0 ? (
        <p className="py-6 text-center text-small text-muted">{t('noTokens')}</p>
      ) : (
        <ul className="grid gap-3">
          {tokens?.map(({ id, value, count }) => (
            <li key={id} className="grid gap-1 text-small">
              <span className="flex items-baseline gap-3">
                <Link
                  to="/log"
                  search={{ token: value, from: String(period.start), to: String(period.end) }}
                  className="min-w-0 truncate rounded-control text-accent hover:underline"
                >
                  {value}
                </Link>
                <span className="ml-auto text-caption text-muted tabular">
                  {t('tokenRequests', { count: formatNumber(count, language) })}
                </span>
              </span>
              <span aria-hidden className="block h-1.5 overflow-hidden rounded-full bg-neutral-bg">
                <span
                  className="block h-full rounded-full bg-series-1"
                  style={{ width: `${(count / countMax) * PERCENT}%` }}
                />
              </span>
            </li>
          )) ?? <ListSkeleton />}
        </ul>
      )}
    </Panel>
  )
}

interface PanelProps {
  readonly title: string
  readonly aside?: ReactNode
  readonly error: Error | null
  readonly children: ReactNode
}

export const Panel = ({ title, aside, error, children }: PanelProps) => (
  <section aria-label={title} className="min-w-0 rounded-card border border-line bg-surface p-4">
    <div className="mb-2 flex min-h-6 items-center justify-between gap-3 text-small">
      <h2 className="font-medium">{title}</h2>
      {aside}
    </div>
    {error ? <p className="text-small text-danger">{errorText(error)}</p> : children}
  </section>
)

const ListSkeleton = () => (
  <li className="grid gap-3 py-2">
    <Skeleton className="h-8 w-full" />
    <Skeleton className="h-8 w-full" />
    <Skeleton className="h-8 w-full" />
  </li>
)
