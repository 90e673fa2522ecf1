import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ErrorSummary } from '#contract/logs/log-errors.ts'
import { formatNumber, TimeText } from '../../app/format/format.tsx'
import { ChannelLink, ModelLink, RecordLink } from '../../app/list/record-link.tsx'
import { useLanguage } from '../../ui/text/text.ts'
import { ChartMessage, ChartPanel, ChartRetry } from './chart-panel.tsx'
import { errorsQuery } from './queries.ts'
import { LogSearch } from './search-params.ts'
import { useScreenText } from './text.ts'
import { includeError, type LogUrl } from './view.ts'

const CELL = 'py-1.5 pr-4 align-baseline last:pr-0'
const NUMBER = `${CELL} text-right tabular`

/** What failed most: status, code, count and whom it concerns. An error links to its log entries. */
export function ErrorsPanel({ url }: { readonly url: LogUrl }) {
  const t = useScreenText()
  const language = useLanguage()
  const { view } = url
  const { data: errors, error, isFetching, refetch } = useQuery(errorsQuery(view))
  const total = errors?.reduce((sum, { count }) => sum + count, 0) ?? 0
  const title = errors ? t('failedRequests', { count: formatNumber(total, language) }) : t('errors')
  return (
    <ChartPanel url={url} label={t('errors')} title={title}>
      {error && !errors ? (
        <ChartRetry isBusy={isFetching} onRetry={() => void refetch()} />
      ) : errors?.length === 0 ? (
        <ChartMessage icon={CircleCheck}>{t('noErrors')}</ChartMessage>
      ) : (
        <ErrorTable errors={errors} isAdmin={view.isAdmin} />
      )}
    </ChartPanel>
  )
}

interface ErrorTableProps {
  /** Undefined while they load. */
  readonly errors: readonly ErrorSummary[] | undefined
  readonly isAdmin: boolean
}

function ErrorTable({ errors, isAdmin }: ErrorTableProps) {
  const t = useScreenText()
  return (
    <div className="max-h-72 min-h-31 overflow-auto">
      <table aria-label={t('errors')} className="w-full text-small" aria-busy={errors === undefined}>
        <thead className="sticky top-0 z-1 bg-surface text-caption text-muted">
          <tr className="text-left">
            <Header>{t('error')}</Header>
            <Header isNumber>{t('requests')}</Header>
            {isAdmin && <Header isNumber>{t('users')}</Header>}
            {isAdmin && <Header>{t('channel')}</Header>}
            <Header>{t('model')}</Header>
            <Header>{t('lastSeen')}</Header>
          </tr>
        </thead>
        <tbody>
          {errors?.map(error => (
            <ErrorRow key={error.error} error={error} isAdmin={isAdmin} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Header = ({ isNumber = false, children }: { isNumber?: boolean; children: ReactNode }) => (
  <th scope="col" className={`${isNumber ? NUMBER : CELL} font-normal whitespace-nowrap`}>
    {children}
  </th>
)

interface ErrorRowProps {
  readonly error: ErrorSummary
  readonly isAdmin: boolean
}

function ErrorRow({ error: summary, isAdmin }: ErrorRowProps) {
  const t = useScreenText()
  const language = useLanguage()
  const { error, count, users, channels, models, last_at } = summary
  const number = (value: number) => formatNumber(value, language)
  return (
    <tr className="border-t border-line">
      <th scope="row" className={`${CELL} font-normal`}>
        <RecordLink
          name={error || t('unrecordedError')}
          schema={LogSearch}
          open={includeError(error)}
          className="max-w-72 font-mono text-danger touch-line"
        />
      </th>
      <td className={NUMBER}>{number(count)}</td>
      {isAdmin && <td className={NUMBER}>{number(users)}</td>}
      {isAdmin && (
        <td className={CELL}>
          <Parts
            parts={channels.map(({ id, value, count: part }) => ({
              key: String(id),
              count: number(part),
              name: value === '' ? `#${id}` : <ChannelLink id={id}>{`${value} #${id}`}</ChannelLink>,
            }))}
          />
        </td>
      )}
      <td className={CELL}>
        <Parts
          parts={models.map(({ value, count: part }) => ({
            key: value,
            count: number(part),
            name: <ModelLink model={value} className="font-mono text-caption" />,
          }))}
        />
      </td>
      <td className={`${CELL} text-muted`}>
        <TimeText unixSeconds={last_at} />
      </td>
    </tr>
  )
}

interface PartsProps {
  readonly parts: ReadonlyArray<{ readonly key: string; readonly name: ReactNode; readonly count: string }>
}

/** Names with their shares of an error, most frequent first. */
const Parts = ({ parts }: PartsProps) =>
  parts.length === 0 ? (
    <span className="text-subtle">-</span>
  ) : (
    <ul className="flex flex-wrap gap-x-3 gap-y-1">
      {parts.map(({ key, name, count }) => (
        <li key={key} className="whitespace-nowrap">
          {name} <span className="text-caption text-subtle tabular">{count}</span>
        </li>
      ))}
    </ul>
  )
