import { useQuery } from '@tanstack/react-query'
import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { selfQuery } from '#console/app/session/self.ts'
import { StatCard } from '#console/ui/data/facts.tsx'
import { changeText } from './change-text.ts'
import type { Dashboard } from './dashboard.ts'
import { MEASURES, type Measure } from './search-params.ts'
import { Sparkline } from './sparkline.tsx'
import { useScreenText } from './text.ts'
import { sumUsage, toSlots } from './usage-data.ts'

const MINUTE = 60
const DAY_SECONDS = 24 * 3600
/** Shown for figures that failed to load. The panel below displays the error. */
const UNAVAILABLE = '-'
const EVERY_MODEL: ReadonlySet<string> = new Set()
const LABELS = { quota: 'periodQuota', count: 'periodCount', tokens: 'periodTokens' } as const

/** Cards for the account, and for the period compared with the previous one. */
export function Totals({ dashboard }: { readonly dashboard: Dashboard }) {
  const t = useScreenText()
  const { money, exact, language } = useMoney()
  const { data: self } = useQuery(selfQuery)
  const { usage, period } = dashboard
  const sums = usage.data && sumUsage(usage.data)
  const fallback = usage.error ? UNAVAILABLE : undefined
  const seconds = period.end - period.start
  const daysLeft =
    self && sums && sums.quota > 0 && self.quota > 0
      ? Math.floor((self.quota / sums.quota) * (seconds / DAY_SECONDS))
      : undefined
  const minutes = Math.max((period.end - period.start) / MINUTE, 1)
  const rate = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 })
  const perMinute = (total: number) => rate.format(total / minutes)
  return (
    <dl className="mb-4 grid grid-cols-2 gap-2 sm:grid-cols-12 sm:gap-3 sm:*:col-span-6 md:*:col-span-3 sm:[&>:nth-child(n+5)]:col-span-4 max-sm:[&>:nth-child(5)]:col-span-2">
      <StatCard
        label={t('balance')}
        value={self && money(self.quota)}
        hint={self && exact(self.quota)}
        note={daysLeft !== undefined && t('daysLeft', { days: formatNumber(daysLeft, language) })}
      />
      <StatCard
        label={t('used')}
        value={self && money(self.used_quota)}
        hint={self && exact(self.used_quota)}
      />
      <StatCard label={t('requests')} value={self && formatNumber(self.request_count, language)} />
      <StatCard
        label={`${t('averageRpm')} · TPM`}
        value={sums ? `${perMinute(sums.count)} · ${perMinute(sums.tokens)}` : fallback}
      />
      {MEASURES.map(measure => (
        <PeriodCard key={measure} measure={measure} dashboard={dashboard} />
      ))}
    </dl>
  )
}

interface PeriodCardProps {
  readonly measure: Measure
  readonly dashboard: Dashboard
}

function PeriodCard({ measure, dashboard: { usage, previousUsage, period, step } }: PeriodCardProps) {
  const t = useScreenText()
  const { money, exact, language } = useMoney()
  const total = usage.data && sumUsage(usage.data)[measure]
  const previous = previousUsage.data && sumUsage(previousUsage.data)[measure]
  const slots = usage.data ? toSlots(usage.data, period, { step, measure, language }, EVERY_MODEL) : []
  const isMoney = measure === 'quota'
  const fallback = usage.error ? UNAVAILABLE : undefined
  return (
    <StatCard
      label={t(LABELS[measure])}
      value={total === undefined ? fallback : isMoney ? money(total) : formatNumber(total, language)}
      hint={isMoney && total !== undefined ? exact(total) : undefined}
      note={total !== undefined && previous !== undefined ? changeText(total, previous, t, language) : ' '}
      graph={
        <Sparkline values={slots.map(({ values }) => Object.values(values).reduce((a, b) => a + b, 0))} />
      }
    />
  )
}
