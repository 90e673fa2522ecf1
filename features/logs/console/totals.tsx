import { useQuery } from '@tanstack/react-query'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { StatCard } from '#console/ui/data/facts.tsx'
import { shareText } from '#console/ui/data/share.ts'
import type { LogStat } from '../contract/logs.ts'
import { type LogView, statQuery } from './queries.ts'
import { useScreenText } from './text.ts'

interface Figure {
  readonly label: string
  readonly value: (stat: LogStat) => string
  readonly hint?: (stat: LogStat) => string
}

/** Shown for figures that failed to load. */
const UNAVAILABLE = '-'

interface LogTotalsProps {
  readonly view: LogView
  /** The table failed as well and displays the error. */
  readonly isErrorShownBelow: boolean
}

/** Totals of the matching entries. They load separately, so that slow totals never delay the table. */
export function LogTotals({ view, isErrorShownBelow }: LogTotalsProps) {
  const figures = useFigures()
  const { data: stat, error, isFetching, refetch } = useQuery(statQuery(view))
  const isMissing = error !== null && !stat
  return (
    <div className="@container mb-4">
      <dl className="grid grid-cols-6 gap-2 *:col-span-2 sm:gap-3 @lg:grid-cols-[1.5fr_1.1fr_1.1fr_0.9fr_1.2fr] @lg:*:col-span-1 @4xl:grid-cols-5 @max-lg:[&>:nth-child(-n+2)]:col-span-3">
        {figures.map(({ label, value, hint }) => (
          <StatCard
            key={label}
            label={label}
            value={stat ? value(stat) : isMissing ? UNAVAILABLE : undefined}
            hint={stat && hint?.(stat)}
          />
        ))}
      </dl>
      {isMissing && !isErrorShownBelow && (
        <div className="mt-3">
          <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
        </div>
      )}
    </div>
  )
}

function useFigures(): readonly Figure[] {
  const t = useScreenText()
  const { money, exact, language } = useMoney()
  const number = (value: number) => formatNumber(value, language)
  return [
    { label: t('usedQuota'), value: ({ quota }) => money(quota), hint: ({ quota }) => exact(quota) },
    { label: t('requests'), value: ({ count }) => number(count) },
    {
      label: t('errorShare'),
      value: ({ errors, count }) => shareText(errors, count),
      hint: ({ errors, count }) => t('errorsOf', { errors, total: count }),
    },
    { label: 'RPM', value: ({ rpm }) => number(rpm), hint: () => t('lastMinute') },
    { label: 'TPM', value: ({ tpm }) => number(tpm), hint: () => t('lastMinute') },
  ]
}
