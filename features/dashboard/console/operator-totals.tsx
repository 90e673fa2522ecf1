import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { StatCard } from '#console/ui/data/facts.tsx'
import { shareText } from '#console/ui/data/share.ts'
import type { AnalyticsMeasure } from '#contract/enums.ts'
import type { AnalyticsFigures } from '#features/analytics/contract.ts'
import { changeText } from './change-text.ts'
import type { Dashboard } from './dashboard.ts'
import { reportQuery } from './queries.ts'
import { useScreenText } from './text.ts'

const NANOS_PER_UNIT = 2000
const SECOND_MS = 1000
/** Shown for figures that failed to load, and for unknown ones. */
const UNAVAILABLE = '-'

/** By what the analytics split a figure: what explains it best. */
const SPLITS = {
  revenue: ['user', 'model'],
  cost: ['channel', 'model'],
  margin: ['channel', 'model'],
  requests: ['model', ''],
  errors: ['error', 'channel'],
  first_token_p95: ['channel', 'model'],
} as const satisfies Partial<Record<AnalyticsMeasure, readonly [string, string]>>

/** Whether the purchase price of any request is known. */
const isCostKnown = ({ costed_quota, cost_nanos }: AnalyticsFigures): boolean =>
  costed_quota !== 0 || cost_nanos !== 0

/** What the period brought and cost, and how well it was served, compared with the period before. */
export function OperatorTotals({
  dashboard: { scope, period, range, search },
}: {
  readonly dashboard: Dashboard
}) {
  const t = useScreenText()
  const { money, language } = useMoney()
  const report = useQuery(reportQuery({ by: 'user' }, scope, period))
  const timed = useQuery(reportQuery({ by: 'model', measure: 'first_token_p95' }, scope, period))
  const firstTokenMs = timed.data?.total.first_token_p95
  const total = report.data?.total
  const previous = report.data?.previous_total ?? undefined
  const fallback = report.error ? UNAVAILABLE : undefined
  const labelOf = (text: string, measure: keyof typeof SPLITS) => {
    const [first, second] = SPLITS[measure]
    const { from, to, user } = search
    return (
      <Link
        to="/detail"
        search={{ tab: 'analytics', measure, first, second, range, from, to, user }}
        className="hover:text-accent hover:underline"
      >
        {text}
      </Link>
    )
  }
  const card = (
    label: ReactNode,
    show: (figures: AnalyticsFigures) => string,
    measure: (figures: AnalyticsFigures) => number,
  ) => (
    <StatCard
      label={label}
      value={total ? show(total) : fallback}
      note={total && previous ? changeText(measure(total), measure(previous), t, language) : ' '}
    />
  )
  const costCard = (label: ReactNode, nanosOf: (figures: AnalyticsFigures) => number) =>
    total && !isCostKnown(total) ? (
      <StatCard label={label} value={UNAVAILABLE} note={t('costUnknown')} />
    ) : (
      card(label, figures => money(Math.round(nanosOf(figures) / NANOS_PER_UNIT)), nanosOf)
    )
  return (
    <dl className="mb-4 grid grid-cols-2 gap-2 sm:grid-cols-3 sm:gap-3 xl:grid-cols-6">
      {card(
        labelOf(t('revenue'), 'revenue'),
        ({ quota }) => money(quota),
        ({ quota }) => quota,
      )}
      {costCard(labelOf(t('cost'), 'cost'), ({ cost_nanos }) => cost_nanos)}
      {costCard(labelOf(t('margin'), 'margin'), ({ margin_nanos }) => margin_nanos)}
      {card(
        labelOf(t('requestsInPeriod'), 'requests'),
        ({ requests }) => formatNumber(requests, language),
        ({ requests }) => requests,
      )}
      {card(
        labelOf(t('errorRate'), 'errors'),
        ({ requests, errors }) => (requests === 0 ? UNAVAILABLE : shareText(errors, requests)),
        ({ requests, errors }) => (requests === 0 ? 0 : errors / requests),
      )}
      <StatCard
        label={labelOf(t('firstToken'), 'first_token_p95')}
        value={
          firstTokenMs
            ? t('seconds', {
                seconds: formatNumber(Number((firstTokenMs / SECOND_MS).toPrecision(2)), language),
              })
            : timed.isPending
              ? undefined
              : UNAVAILABLE
        }
      />
    </dl>
  )
}
