import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { formatNumber, TimeText } from '#console/app/format/format.tsx'
import { ChannelLink, ModelLink, RecordLink } from '#console/app/list/record-link.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { classes } from '#console/ui/class-names.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import type { ErrorSummary } from '../contract/log-errors.ts'
import { ChartMessage, ChartPanel, ChartRetry } from './chart-panel.tsx'
import { errorsQuery } from './queries.ts'
import { LogSearch } from './search-params.ts'
import { useScreenText } from './text.ts'
import { includeError, type LogUrl } from './view.ts'

const CELL = 'py-1.5 pr-4 align-baseline last:pr-0'
const NUMBER = `${CELL} text-right tabular`
const SHOWN_AT_FIRST = 10
/** Narrower windows show these columns below the error, or not at all. */
const WIDE = 'hidden lg:table-cell'
const MEDIUM = 'hidden md:table-cell'

/** The most frequent failures: status, code, count and affected users. An error links to its log entries. */
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
  const [isAll, setAll] = useState(false)
  const shown = isAll ? errors : errors?.slice(0, SHOWN_AT_FIRST)
  const hidden = (errors?.length ?? 0) - (shown?.length ?? 0)
  return (
    <div className="min-h-31">
      <table aria-label={t('errors')} className="w-full text-small" aria-busy={errors === undefined}>
        <thead className="text-caption text-muted">
          <tr className="text-left">
            <Header>{t('error')}</Header>
            <Header isNumber>{t('requests')}</Header>
            {isAdmin && <Header isNumber>{t('users')}</Header>}
            {isAdmin && <Header className={WIDE}>{t('channel')}</Header>}
            <Header className={WIDE}>{t('model')}</Header>
            <Header className={MEDIUM}>{t('lastSeen')}</Header>
          </tr>
        </thead>
        <tbody>
          {shown?.map(error => (
            <ErrorRow key={error.error} error={error} isAdmin={isAdmin} />
          ))}
        </tbody>
      </table>
      {hidden > 0 && (
        <Button size="small" variant="ghost" onClick={() => setAll(true)}>
          {t('moreErrors', { count: hidden })}
        </Button>
      )}
    </div>
  )
}

interface HeaderProps {
  readonly isNumber?: boolean
  readonly className?: string
  readonly children: ReactNode
}

const Header = ({ isNumber = false, className, children }: HeaderProps) => (
  <th scope="col" className={classes(isNumber ? NUMBER : CELL, 'font-normal whitespace-nowrap', className)}>
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
  const channelParts = isAdmin && (
    <Parts
      parts={channels.map(({ id, value, count: part }) => ({
        key: String(id),
        count: number(part),
        name: value === '' ? `#${id}` : <ChannelLink id={id}>{`${value} #${id}`}</ChannelLink>,
      }))}
    />
  )
  const modelParts = (
    <Parts
      parts={models.map(({ value, count: part }) => ({
        key: value,
        count: number(part),
        name: <ModelLink model={value} className="font-mono text-caption" />,
      }))}
    />
  )
  return (
    <tr className="border-t border-line">
      <th scope="row" className={`${CELL} font-normal`}>
        <RecordLink
          name={error || t('unrecordedError')}
          schema={LogSearch}
          open={includeError(error)}
          className="max-w-72 font-mono text-danger touch-line"
        />
        <div className="grid gap-1 pt-1 lg:hidden">
          {channelParts}
          {modelParts}
        </div>
      </th>
      <td className={NUMBER}>{number(count)}</td>
      {isAdmin && <td className={NUMBER}>{number(users)}</td>}
      {isAdmin && <td className={classes(CELL, WIDE)}>{channelParts}</td>}
      <td className={classes(CELL, WIDE)}>{modelParts}</td>
      <td className={classes(CELL, MEDIUM, 'text-muted')}>
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
