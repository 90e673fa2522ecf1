import { useQuery } from '@tanstack/react-query'
import { ChartColumn } from 'lucide-react'
import { useMemo } from 'react'
import { formatNumber, nowSeconds } from '#console/app/format/format.tsx'
import type { SlotRange } from '#console/ui/data/chart/series.ts'
import { SlotTable } from '#console/ui/data/chart/slot-table.tsx'
import { TimeChart } from '#console/ui/data/chart/time-chart.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { ChartMessage, ChartPanel, ChartRetry } from './chart-panel.tsx'
import { ErrorsPanel } from './errors-panel.tsx'
import { moveSlot, toSeries, toSlots } from './histogram-data.ts'
import { histogramQuery } from './queries.ts'
import { useScreenText } from './text.ts'
import type { LogUrl } from './view.ts'

/** Requests over time, or the errors of the range. */
export function LogHistogram({ url }: { readonly url: LogUrl }) {
  const { split } = url.search
  return split === 'error' ? <ErrorsPanel url={url} /> : <Requests url={url} split={split} />
}

interface RequestsProps {
  readonly url: LogUrl
  readonly split: 'outcome' | 'model'
}

/** Requests over time. Selecting part of the chart narrows the time range to it. */
function Requests({ url, split }: RequestsProps) {
  const t = useScreenText()
  const language = useLanguage()
  const { setFilter, view, span } = url
  const { data: histogram, error, isFetching, refetch } = useQuery(histogramQuery(view, split))
  const end = span.end === 0 ? nowSeconds() : span.end
  const slots = useMemo(
    () => (histogram ? toSlots(histogram, { start: span.start, end }) : []),
    [histogram, span, end],
  )
  const names = { success: t('success'), error: t('failure'), other: t('otherModels') }
  const series = histogram ? toSeries(histogram, split, names) : []
  const format = (value: number) => formatNumber(value, language)
  const total = histogram?.points.reduce((sum, { count }) => sum + count, 0) ?? 0
  const title = histogram ? t('requestsOver', { count: format(total) }) : t('histogram')
  const texts = { asTable: t('asTable'), caption: t('histogram'), time: t('time') }
  const select = ({ from, to }: SlotRange) => {
    const first = slots[from]
    const last = slots[to]
    if (!first || !last || !histogram) return
    setFilter({ from: String(first.key), to: String(moveSlot(last.key, histogram.bucket_seconds, 1) - 1) })
  }

  return (
    <ChartPanel
      url={url}
      label={t('histogram')}
      title={title}
      tools={slots.length > 0 && <SlotTable slots={slots} series={series} format={format} texts={texts} />}
    >
      {error && !histogram ? (
        <ChartRetry isBusy={isFetching} onRetry={() => void refetch()} />
      ) : histogram === undefined ? (
        <Skeleton className="h-31 w-full" />
      ) : slots.length === 0 ? (
        <ChartMessage icon={ChartColumn}>{t('noRequests')}</ChartMessage>
      ) : (
        <TimeChart
          label={title}
          help={t('brushHelp')}
          slots={slots}
          series={series}
          format={format}
          onSelect={select}
        />
      )}
    </ChartPanel>
  )
}
