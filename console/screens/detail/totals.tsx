import { useQuery } from '@tanstack/react-query'
import { formatNumber, useMoney } from '../../app/money/money.tsx'
import { selfQuery } from '../../app/session/self.ts'
import { Sparkline } from '../../ui/data/chart/sparkline.tsx'
import { StatCard } from '../../ui/data/facts.tsx'
import { MEASURES, type Measure } from './search-params.ts'
import { useScreenText } from './text.ts'
import { toSlots, sumUsage } from './usage-data.ts'
import type { Dashboard } from './dashboard.ts'

const MINUTE = 60
const PERCENT = 100
/** What could not be loaded; the panel below says why. */
const UNAVAILABLE = '-'
const EVERY_MODEL: ReadonlySet<string> = new Set()
const LABELS = { quota: 'periodQuota', count: 'periodCount', tokens: 'periodTokens' } as const

/** How the account stands, and what the period brought against the one before. */
export function Totals({ dashboard }: { readonly dashboard: Dashboard }) {
  const t = useScreenText()
  const { money, exact, language } = useMoney()
  const { data: self } = useQuery(selfQuery)
  const { usage, period } = dashboard
  const sums = usage.data && sumUsage(usage.data)
  const missing = usage.error ? UNAVAILABLE : undefined
  const minutes = Math.max((period.end - period.start) / MINUTE, 1)
  const rate = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 })
  const perMinute = (total: number) => rate.format(total / minutes)
  return (
    <dl className="mb-4 grid grid-cols-2 gap-2 sm:grid-cols-12 sm:gap-3 sm:*:col-span-6 md:*:col-span-3 sm:[&>:nth-child(n+5)]:col-span-4 max-sm:[&>:nth-child(5)]:col-span-2">
      <StatCard label={t('balance')} value={self && money(self.quota)} hint={self && exact(self.quota)} />
      <StatCard
        label={t('used')}
        value={self && money(self.used_quota)}
        hint={self && exact(self.used_quota)}
      />
      <StatCard label={t('requests')} value={self && formatNumber(self.request_count, language)} />
      <StatCard
        label={`${t('averageRpm')} · TPM`}
        value={sums ? `${perMinute(sums.count)} · ${perMinute(sums.tokens)}` : missing}
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

function PeriodCard({ measure, dashboard: { usage, before, period, step } }: PeriodCardProps) {
  const t = useScreenText()
  const { money, exact, language } = useMoney()
  const total = usage.data && sumUsage(usage.data)[measure]
  const earlier = before.data && sumUsage(before.data)[measure]
  const slots = usage.data ? toSlots(usage.data, period, { step, measure, language }, EVERY_MODEL) : []
  const isMoney = measure === 'quota'
  const missing = usage.error ? UNAVAILABLE : undefined
  return (
    <StatCard
      label={t(LABELS[measure])}
      value={total === undefined ? missing : isMoney ? money(total) : formatNumber(total, language)}
      hint={isMoney && total !== undefined ? exact(total) : undefined}
      note={total !== undefined && earlier !== undefined ? changeText(total, earlier) : ' '}
      graph={
        <Sparkline values={slots.map(({ values }) => Object.values(values).reduce((a, b) => a + b, 0))} />
      }
    />
  )

  function changeText(now: number, then: number): string {
    if (then === 0) return now === 0 ? '' : t('beforeNone')
    const percent = ((now - then) / then) * PERCENT
    const change = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(Math.abs(percent))
    return t('before', { change: `${percent > 0 ? '↑ ' : percent < 0 ? '↓ ' : ''}${change}%` })
  }
}
