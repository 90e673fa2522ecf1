import { ChartColumn } from 'lucide-react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { Banner, EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { type Analytics, useAnalytics } from './analytics.ts'
import { AnalyticsChart } from './chart.tsx'
import { AnalyticsControls } from './controls.tsx'
import { GroupTable } from './group-table.tsx'
import type { Report } from './queries.ts'
import { useAnalyticsText } from './text.ts'

/** Any measure of requests by any dimension, over time and in a table. */
export function AnalyticsPanel() {
  const analytics = useAnalytics()
  return (
    <>
      <AnalyticsControls analytics={analytics} />
      <ReportView analytics={analytics} />
    </>
  )
}

function ReportView({ analytics }: { readonly analytics: Analytics }) {
  const t = useAnalyticsText()
  const { report } = analytics
  const { data, error, isFetching } = report
  if (error && !data)
    return <LoadError error={error} isBusy={isFetching} onRetry={() => void report.refetch()} />
  if (!data)
    return (
      <div className="grid gap-4" aria-busy>
        <Skeleton className="h-94 w-full" />
        <Skeleton className="h-60 w-full" />
      </div>
    )
  if (data.total.requests === 0) return <EmptyState icon={ChartColumn} title={t('empty')} text="" />
  return <Loaded analytics={analytics} report={data} />
}

function Loaded({ analytics, report }: { readonly analytics: Analytics; readonly report: Report }) {
  const t = useAnalyticsText()
  return (
    <div className="grid gap-4" aria-busy={analytics.report.isFetching}>
      {!report.is_complete && <Banner tone="info">{t('incomplete')}</Banner>}
      <AnalyticsChart analytics={analytics} report={report} />
      <GroupTable analytics={analytics} report={report} />
    </div>
  )
}
