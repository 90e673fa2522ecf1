import { useCallback, useMemo } from 'react'
import type { Series, Slot, SlotRange } from '#console/ui/data/chart/series.ts'
import { SlotTable } from '#console/ui/data/chart/slot-table.tsx'
import { TimeChart } from '#console/ui/data/chart/time-chart.tsx'
import { colourOf, OTHER_COLOUR } from '#console/ui/data/series-colours.ts'
import { type Language, useLanguage } from '#console/ui/text/text.ts'
import { type Analytics, BUCKET_SECONDS } from './analytics.ts'
import { isPercentile, labelOf, measureName, measureOf } from './figures.ts'
import type { Report } from './queries.ts'
import { type AnalyticsText, useAnalyticsText } from './text.ts'

const OTHER = 'other'
const DAY_SECONDS = 86_400

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
  const slots = useMemo(() => toSlots(report, seconds, language), [report, seconds, language])
  const total = measureOf(report.total, measure)
  const name = measureName(measure, isAdmin, t)
  const title = total === null ? name : t('chartOf', { measure: name, total: format(total, measure) })
  const formatValue = useCallback((value: number) => format(value, measure), [format, measure])
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
          slots={slots}
          series={series}
          format={formatValue}
          texts={{ asTable: t('asTable'), caption: title, time: t('time') }}
        />
      </div>
      <TimeChart
        label={title}
        help={t('chartHelp')}
        kind={isPercentile(measure) || measure === 'margin' ? 'lines' : 'bars'}
        height="h-70"
        slots={slots}
        series={series}
        format={formatValue}
        onSelect={select}
      />
    </section>
  )
}

interface SeriesNames {
  readonly first: Analytics['first']
  readonly t: AnalyticsText
}

const idOf = ({ value, is_other }: Report['series'][number]): string => (is_other ? OTHER : `value ${value}`)

const toSeries = ({ series }: Report, { first, t }: SeriesNames): Series[] =>
  series.map(item => ({
    id: idOf(item),
    name: item.is_other ? t('other') : labelOf(first, item, t),
    ...(item.is_other ? OTHER_COLOUR : colourOf(item.value)),
  }))

const toSlots = ({ slots, series }: Report, seconds: number, language: Language): Slot[] =>
  slots.map((key, index) => ({
    key,
    label: timeText(key, seconds, language),
    values: Object.fromEntries(
      series.flatMap(item => {
        const value = item.numbers[index]
        return value === null || value === undefined ? [] : [[idOf(item), value]]
      }),
    ),
  }))

function timeText(at: number, seconds: number, language: Language): string {
  const day = { year: 'numeric', month: 'short', day: 'numeric' } as const
  const clock =
    seconds < DAY_SECONDS ? ({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const) : {}
  return new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-US', { ...day, ...clock }).format(
    at * 1000,
  )
}
