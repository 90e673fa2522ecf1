import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { nowSeconds, useMoney } from '#console/app/format/format.tsx'
import { ChannelLink, UserLink } from '#console/app/list/record-link.tsx'
import { colourOf, OTHER_COLOUR } from '#console/ui/data/series-colours.ts'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import type { Dashboard } from './dashboard.ts'
import { Panel } from './lists-panel.tsx'
import { type Period, reportQuery, type UsageScope } from './queries.ts'
import { RankedBars } from './ranked-bars.tsx'
import { useScreenText } from './text.ts'
import { OTHER } from './usage-data.ts'

/** Who spent most yesterday and in the period, and through which channels. */
export function TopPanels({ dashboard: { scope, period } }: { readonly dashboard: Dashboard }) {
  const t = useScreenText()
  return (
    <div className="mt-4 grid gap-4 lg:grid-cols-3">
      <TopPanel title={t('topYesterday')} by="user" scope={scope} period={yesterday(nowSeconds())} />
      <TopPanel title={t('topUsers')} by="user" scope={scope} period={period} />
      <TopPanel title={t('topChannels')} by="channel" scope={scope} period={period} />
    </div>
  )
}

/** The reader's day before the given time. */
function yesterday(now: number): Period {
  const at = new Date(now * 1000)
  const midnight = (daysAgo: number) =>
    Math.floor(new Date(at.getFullYear(), at.getMonth(), at.getDate() - daysAgo).getTime() / 1000)
  return { start: midnight(1), end: midnight(0) - 1, isCut: false }
}

interface TopPanelProps {
  readonly title: string
  readonly by: 'user' | 'channel'
  readonly scope: UsageScope
  readonly period: Period
}

function TopPanel({ title, by, scope, period }: TopPanelProps) {
  const t = useScreenText()
  const { money } = useMoney()
  const report = useQuery(reportQuery({ by }, scope, period))
  const Target = by === 'user' ? UserLink : ChannelLink
  const bars = report.data?.groups
    .filter(({ figures }) => figures.quota > 0)
    .map(({ value, name, figures }) => ({
      id: value,
      name: name || `#${value}`,
      value: figures.quota,
      text: money(figures.quota),
      swatch: colourOf(name).swatch,
      link: (className: string, content: ReactNode) => (
        <Target id={Number(value)} className={className}>
          {content}
        </Target>
      ),
    }))
  const rest = (report.data?.total.quota ?? 0) - (bars ?? []).reduce((sum, { value }) => sum + value, 0)
  const other = { id: OTHER, name: t('other'), value: rest, text: money(rest), swatch: OTHER_COLOUR.swatch }
  return (
    <Panel title={title} error={report.data ? null : report.error}>
      {bars === undefined ? (
        <Skeleton className="h-40 w-full" />
      ) : bars.length === 0 ? (
        <p className="py-6 text-center text-small text-muted">{t('noUsage')}</p>
      ) : (
        <RankedBars label={title} bars={rest > 0 ? [...bars, other] : bars} />
      )}
    </Panel>
  )
}
