import { useQuery } from '@tanstack/react-query'
import { ChartColumn } from 'lucide-react'
import { useMemo } from 'react'
import { formatNumber, nowSeconds } from '../../app/format/format.tsx'
import { Button } from '../../ui/buttons/buttons.tsx'
import { buttonClasses, classes } from '../../ui/class-names.ts'
import type { SlotRange } from '../../ui/data/chart/series.ts'
import { SlotTable } from '../../ui/data/chart/slot-table.tsx'
import { StackedBars } from '../../ui/data/chart/stacked-bars.tsx'
import { Skeleton } from '../../ui/feedback/feedback.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { useLanguage } from '../../ui/text/text.ts'
import { toSeries, toSlots } from './histogram-data.ts'
import { histogramQuery } from './queries.ts'
import { useScreenText } from './text.ts'
import type { LogUrl } from './view.ts'

const SPLITS = ['outcome', 'model'] as const

/** Requests over time. Selecting part of the chart narrows the time range to it. */
export function LogHistogram({ url }: { readonly url: LogUrl }) {
  const t = useScreenText()
  const kit = useKitText()
  const language = useLanguage()
  const { search, set, setFilter, view, span } = url
  const { data: histogram, error, isFetching, refetch } = useQuery(histogramQuery(view, search.split))
  const end = span.end === 0 ? nowSeconds() : span.end
  const slots = useMemo(
    () => (histogram ? toSlots(histogram, { start: span.start, end }) : []),
    [histogram, span, end],
  )
  const names = { success: t('success'), error: t('failure'), other: t('otherModels') }
  const series = histogram ? toSeries(histogram, search.split, names) : []
  const format = (value: number) => formatNumber(value, language)
  const total = histogram?.points.reduce((sum, { count }) => sum + count, 0) ?? 0
  const texts = { asTable: t('asTable'), caption: t('histogram'), time: t('time') }
  const select = ({ from, to }: SlotRange) => {
    const first = slots[from]
    const last = slots[to]
    if (!first || !last || !histogram) return
    setFilter({ from: String(first.key), to: String(last.key + histogram.bucket_seconds - 1) })
  }

  return (
    <section
      aria-label={t('histogram')}
      className="mb-4 rounded-card border border-line bg-surface px-4 pt-2.5 pb-2"
    >
      <div className="mb-2 flex min-h-7 items-center gap-1">
        <h2 className="mr-auto text-small font-medium">
          {histogram ? t('requestsOver', { count: format(total) }) : t('histogram')}
        </h2>
        {SPLITS.map(split => (
          <button
            key={split}
            type="button"
            aria-pressed={search.split === split}
            onClick={() => set({ split })}
            className={classes(
              buttonClasses('ghost', 'small'),
              search.split === split ? 'bg-selected text-accent' : 'text-muted',
            )}
          >
            {t(split === 'outcome' ? 'byOutcome' : 'byModel')}
          </button>
        ))}
        {slots.length > 0 && <SlotTable slots={slots} series={series} format={format} texts={texts} />}
      </div>
      {error && !histogram ? (
        <div className="flex h-31 flex-col items-center justify-center gap-2 text-small text-muted">
          {kit('loadFailed')}
          <Button size="small" isBusy={isFetching} onClick={() => void refetch()}>
            {kit('retry')}
          </Button>
        </div>
      ) : histogram === undefined ? (
        <Skeleton className="h-31 w-full" />
      ) : slots.length === 0 ? (
        <div className="flex h-31 items-center justify-center gap-2 text-small text-muted">
          <ChartColumn size={16} aria-hidden />
          {t('noRequests')}
        </div>
      ) : (
        <StackedBars
          label={t('requestsOver', { count: format(total) })}
          help={t('brushHelp')}
          slots={slots}
          series={series}
          format={format}
          onSelect={select}
        />
      )}
    </section>
  )
}
