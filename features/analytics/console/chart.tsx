import { Suspense, useCallback, useMemo } from 'react'
import type { SlotRange } from '#console/ui/data/chart/series.ts'
import { SlotTable } from '#console/ui/data/chart/slot-table.tsx'
import type { TimeChartProps, TimeSeries } from '#console/ui/data/chart/time-chart.tsx'
import { colourOf, OTHER_COLOUR } from '#console/ui/data/series-colours.ts'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { type Language, useLanguage } from '#console/ui/text/text.ts'
import { type Analytics, BUCKET_SECONDS } from './analytics.ts'
import { isPercentile, labelOf, measureName, measureOf } from './figures.ts'
import type { Report } from './queries.ts'
import { type AnalyticsText, useAnalyticsText } from './text.ts'

const OTHER = 'other'
const DAY_SECONDS = 86_400

const chart = lazyPart<TimeChartProps>(
  async () => (await import('#console/ui/data/chart/time-chart.tsx')).TimeChart,
)

interface AnalyticsChartProps {
  readonly analytics: Analytics
  readonly report: Report
}

/** The measure over time, by the largest values of the first dimension. */
export function AnalyticsChart({ analytics, report }: AnalyticsChartProps) {
  const t = useAnalyticsText()
  const language = useLanguage()
  const { measure, isAdmin, first, set, format } = analytics
  const seconds = BUCKET_SECONDS[report.bucket]
  const series = useMemo(() => toSeries(report, { first, t }), [report, first, t])
  const total = measureOf(report.total, measure)
  const name = measureName(measure, isAdmin, t)
  const title = total === null ? name : t('chartOf', { measure: name, total: format(total, measure) })
  const formatValue = useCallback((value: number) => format(value, measure), [format, measure])
  const formatTime = useCallback((at: number) => timeText(at, seconds, language), [seconds, language])
  const formatTick = useCallback((at: number) => tickText(at, seconds, language), [seconds, language])
  const select = ({ from, to }: SlotRange) => {
    const start = report.slots[from]
    const end = report.slots[to]
    if (start !== undefined && end !== undefined)
      set({ from: String(start), to: String(end + seconds - 1), bucket: '' })
  }
  return (
    <section aria-label={t('chart')} className="min-w-0 rounded-card border border-line bg-surface p-4">
      <div className="mb-2 flex items-center gap-2">
        <h2 className="mr-auto min-w-0 text-small font-medium">{title}</h2>
        <SlotTable
          slots={toRows(report, series, formatTime)}
          series={series.map(item => ({ ...item, fill: '' }))}
          format={formatValue}
          texts={{ asTable: t('asTable'), caption: title, time: t('time') }}
        />
      </div>
      <Suspense
        fallback={
          <div aria-busy>
            <Skeleton className="h-75 w-full" />
          </div>
        }
      >
        <chart.Part
          label={title}
          help={t('chartHelp')}
          kind={isPercentile(measure) || measure === 'margin' ? 'lines' : 'bars'}
          slots={report.slots}
          series={series}
          format={formatValue}
          formatTime={formatTime}
          formatTick={formatTick}
          onSelect={select}
        />
      </Suspense>
    </section>
  )
}

interface SeriesNames {
  readonly first: Analytics['first']
  readonly t: AnalyticsText
}

const toSeries = ({ series }: Report, { first, t }: SeriesNames): TimeSeries[] =>
  series.map(({ value, name, is_other, numbers }) => {
    if (is_other) return { id: OTHER, name: t('other'), numbers, swatch: OTHER_COLOUR.swatch }
    const label = labelOf(first, { value, name }, t)
    return { id: `value ${value}`, name: label, numbers, swatch: colourOf(value).swatch }
  })

/** The slots of the table twin. */
const toRows = ({ slots }: Report, series: readonly TimeSeries[], formatTime: (at: number) => string) =>
  slots.map((key, index) => ({
    key,
    label: formatTime(key),
    values: Object.fromEntries(
      series.flatMap(({ id, numbers }) => {
        const value = numbers[index]
        return value === null || value === undefined ? [] : [[id, value]]
      }),
    ),
  }))

const localeOf = (language: Language) => (language === 'zh' ? 'zh-CN' : 'en-US')

function timeText(at: number, seconds: number, language: Language): string {
  const day = { year: 'numeric', month: 'short', day: 'numeric' } as const
  const clock =
    seconds < DAY_SECONDS ? ({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const) : {}
  return new Intl.DateTimeFormat(localeOf(language), { ...day, ...clock }).format(at * 1000)
}

function tickText(at: number, seconds: number, language: Language): string {
  const date = new Date(at * 1000)
  const isClock = seconds < DAY_SECONDS && (date.getHours() > 0 || date.getMinutes() > 0)
  return new Intl.DateTimeFormat(
    localeOf(language),
    isClock ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } : { month: 'short', day: 'numeric' },
  ).format(date)
}
