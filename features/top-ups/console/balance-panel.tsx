import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatDateTime, formatNumber, nowSeconds, useMoney } from '#console/app/format/format.tsx'
import { ScreenLink } from '#console/app/list/record-link.tsx'
import { hasScreen } from '#console/app/router/screens.ts'
import { selfQuery } from '#console/app/session/self.ts'
import type { Slot, SlotRange } from '#console/ui/data/chart/series.ts'
import { TimeChart } from '#console/ui/data/chart/time-chart.tsx'
import { StatCard } from '#console/ui/data/facts.tsx'
import { MAIN_COLOUR } from '#console/ui/data/series-colours.ts'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import type { User } from '#contract/entities/user.ts'
import { type Day, type Forecast, forecastBalance, lastDayStarts, spentByDay } from './forecast.ts'
import { usageQuery } from './queries.ts'
import { useScreenText } from './text.ts'

const DAY_SECONDS = 24 * 3600
const DAYS_SHOWN_MAX = 365
const DATE_LENGTH = 10

/** The balance, the daily spending, and how long the balance lasts. */
export function BalancePanel() {
  const t = useScreenText()
  const { money, exact } = useMoney()
  const [starts] = useState(() => lastDayStarts(nowSeconds()))
  const self = useQuery(selfQuery)
  const usage = useQuery(usageQuery(starts[0] ?? 0))
  const days = useMemo(() => usage.data && spentByDay(usage.data, starts), [usage.data, starts])
  const forecast = days && self.data && forecastBalance(days, self.data.quota)
  return (
    <section
      aria-label={t('balance')}
      className="min-w-0 rounded-card border border-line bg-surface p-4 sm:p-5"
    >
      {self.error && <LoadError error={self.error} onRetry={() => void self.refetch()} />}
      <div className="flex items-baseline justify-between gap-4 text-small text-muted">
        <p>{t('balance')}</p>
        <ScreenLink screen="/statement">{t('statement')}</ScreenLink>
      </div>
      <p
        className="mt-1 text-number font-semibold tabular sm:text-headline"
        title={self.data && exact(self.data.quota)}
      >
        {self.data ? money(self.data.quota) : <NoBalance hasFailed={self.isError} />}
      </p>
      <p className="mt-1 min-h-5 text-muted">{forecast && <DaysLeft forecast={forecast} />}</p>
      <Totals self={self.data} forecast={forecast} hasFailed={(self.error ?? usage.error) !== null} />
      <div className="mt-5">
        {usage.error && !days ? (
          <LoadError error={usage.error} onRetry={() => void usage.refetch()} />
        ) : days ? (
          <SpentChart days={days} />
        ) : (
          <Skeleton className="h-37 w-full" />
        )}
      </div>
    </section>
  )
}

const NoBalance = ({ hasFailed }: { readonly hasFailed: boolean }) =>
  hasFailed ? '-' : <Skeleton className="h-9 w-48 sm:h-12" />

interface TotalsProps {
  readonly self: User | undefined
  readonly forecast: Forecast | undefined
  readonly hasFailed: boolean
}

function Totals({ self, forecast, hasFailed }: TotalsProps) {
  const t = useScreenText()
  const { money, language } = useMoney()
  const missing = hasFailed ? '-' : undefined
  return (
    <dl className="mt-4 grid grid-cols-2 gap-2 sm:grid-cols-3 sm:gap-3 max-sm:*:first:col-span-2">
      <StatCard label={t('pace')} value={forecast ? money(Math.round(forecast.pace)) : missing} />
      <StatCard label={t('used')} value={self ? money(self.used_quota) : missing} />
      <StatCard label={t('requests')} value={self ? formatNumber(self.request_count, language) : missing} />
    </dl>
  )
}

function DaysLeft({ forecast: { daysLeft } }: { readonly forecast: Forecast }) {
  const t = useScreenText()
  if (daysLeft === undefined) return t('idle')
  if (daysLeft === 0) return <span className="text-danger">{t('daysNone')}</span>
  return daysLeft > DAYS_SHOWN_MAX ? t('daysMany') : t('daysLeft', { count: daysLeft })
}

function SpentChart({ days }: { readonly days: readonly Day[] }) {
  const t = useScreenText()
  const { money } = useMoney()
  const navigate = useNavigate()
  const slots: Slot[] = days.map(({ start, quota }) => ({
    key: start,
    label: formatDateTime(start).slice(0, DATE_LENGTH),
    values: { spent: quota },
  }))
  const total = days.reduce((sum, { quota }) => sum + quota, 0)
  const label = t('spent', { amount: money(total) })
  const openLog = ({ from, to }: SlotRange) => {
    const first = days[from]
    const last = days[to]
    if (!first || !last || !hasScreen('/log')) return
    const search = { from: String(first.start), to: String(last.start + DAY_SECONDS - 1) }
    void navigate({ to: '/log', search })
  }
  return (
    <div>
      <h2 className="text-small font-medium">{label}</h2>
      {total > 0 && (
        <div className="mt-2">
          <TimeChart
            label={label}
            help={t('chartHelp')}
            slots={slots}
            series={[{ id: 'spent', name: t('spentSeries'), ...MAIN_COLOUR }]}
            format={money}
            onSelect={openLog}
          />
        </div>
      )}
    </div>
  )
}
