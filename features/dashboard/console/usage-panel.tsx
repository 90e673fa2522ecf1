import { Link, useNavigate } from '@tanstack/react-router'
import { ChartColumn, Download, Image } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { downloadFile, downloadText, toCsv } from '#console/app/list/csv.ts'
import { hasScreen } from '#console/app/router/screens.ts'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { buttonClasses, classes } from '#console/ui/class-names.ts'
import type { Series, Slot, SlotRange } from '#console/ui/data/chart/series.ts'
import { SlotTable } from '#console/ui/data/chart/slot-table.tsx'
import { TimeChart } from '#console/ui/data/chart/time-chart.tsx'
import { colourOf, OTHER_COLOUR } from '#console/ui/data/series-colours.ts'
import { shareText } from '#console/ui/data/share.ts'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import type { Dashboard } from './dashboard.ts'
import { RankedBars } from './ranked-bars.tsx'
import { MEASURES } from './search-params.ts'
import { useScreenText } from './text.ts'
import { MODELS_SHOWN, type ModelTotal, OTHER, rankModels, slotEnd, toSeries, toSlots } from './usage-data.ts'

const NO_ROWS = [] as const

interface UsageFigures {
  readonly slots: readonly Slot[]
  readonly series: readonly Series[]
  readonly ranked: readonly ModelTotal[]
  readonly total: number
  readonly format: (value: number) => string
}

/** Usage over time by model, and the ranking of models. */
export function UsagePanel({ dashboard }: { readonly dashboard: Dashboard }) {
  const figures = useFigures(dashboard)
  const { usage } = dashboard
  if (usage.error && !usage.data)
    return <LoadError error={usage.error} isBusy={usage.isFetching} onRetry={() => void usage.refetch()} />
  return (
    <div className="grid gap-4 lg:min-h-116 lg:grid-cols-12">
      <UsageTrend dashboard={dashboard} figures={figures} />
      <ModelShare dashboard={dashboard} figures={figures} />
    </div>
  )
}

function useFigures({ usage, period, step, measure }: Dashboard): UsageFigures {
  const t = useScreenText()
  const { money, language } = useMoney()
  const rows = usage.data ?? NO_ROWS
  return useMemo(() => {
    const ranked = rankModels(rows, measure)
    const series = toSeries(ranked, t('other'))
    const slots = toSlots(rows, period, { step, measure, language }, new Set(series.map(({ id }) => id)))
    const total = ranked.reduce((sum, { value }) => sum + value, 0)
    const format = measure === 'quota' ? money : (value: number) => formatNumber(value, language)
    return { slots, series, ranked, total, format }
  }, [rows, period, step, measure, money, language, t])
}

interface UsagePanelProps {
  readonly dashboard: Dashboard
  readonly figures: UsageFigures
}

function UsageTrend({ dashboard, figures }: UsagePanelProps) {
  const t = useScreenText()
  const openLog = useOpenLog(dashboard)
  const { usage, step, measure, set } = dashboard
  const { slots, series, ranked, total, format } = figures
  const [largest] = ranked
  const summary = largest
    ? t('usageSummary', {
        total: format(total),
        share: shareText(largest.value, total),
        model: largest.model,
      })
    : t('usageTrend')
  const select = ({ from, to }: SlotRange) => {
    const first = slots[from]
    const last = slots[to]
    if (first && last) openLog({ from: String(first.key), to: String(slotEnd(last, step)) })
  }
  return (
    <section
      aria-label={t('usageTrend')}
      className="min-w-0 rounded-card border border-line bg-surface p-4 lg:col-span-8"
    >
      <div className="mb-3 flex flex-wrap items-center gap-1">
        <h2 className="mr-auto min-w-0 text-small font-medium max-xl:w-full">{summary}</h2>
        {MEASURES.map(view => (
          <button
            key={view}
            type="button"
            aria-pressed={view === measure}
            onClick={() => set({ view })}
            className={classes(
              buttonClasses('ghost', 'small'),
              view === measure ? 'bg-selected text-accent' : 'text-muted',
            )}
          >
            {t(view)}
          </button>
        ))}
        {largest && <ChartTools figures={figures} title={summary} />}
      </div>
      {usage.data === undefined ? (
        <Skeleton className="h-78 w-full lg:h-97" />
      ) : largest ? (
        <TimeChart
          label={summary}
          help={t('brushHelp')}
          height="h-70 lg:h-80"
          slots={slots}
          series={series}
          format={format}
          onSelect={select}
        />
      ) : (
        <NoUsage />
      )}
    </section>
  )
}

interface ChartToolsProps {
  readonly figures: UsageFigures
  readonly title: string
}

/** The chart as a table, a CSV file or an image. */
function ChartTools({ figures: { slots, series, format }, title }: ChartToolsProps) {
  const t = useScreenText()
  const saveCsv = () => {
    const head = [t('time'), ...series.map(({ name }) => name)]
    const rows = slots.map(slot => [slot.label, ...series.map(({ id }) => slot.values[id] ?? 0)])
    downloadText('usage.csv', toCsv([head, ...rows]), 'text/csv')
  }
  const savePng = async () => {
    const { drawChart } = await import('./draw-chart.ts')
    const file = await drawChart({ title, slots, series, format })
    if (file) downloadFile('usage.png', file)
  }
  return (
    <>
      <SlotTable
        slots={slots}
        series={series}
        format={format}
        texts={{ asTable: t('asTable'), caption: t('usageTrend'), time: t('time') }}
      />
      <IconButton label={t('exportCsv')} icon={Download} size="small" onClick={saveCsv} />
      <IconButton label={t('exportPng')} icon={Image} size="small" onClick={() => void savePng()} />
    </>
  )
}

function ModelShare({ dashboard, figures: { ranked, format } }: UsagePanelProps) {
  const t = useScreenText()
  const { period, usage, scope } = dashboard
  const largest = ranked.slice(0, MODELS_SHOWN)
  const otherTotal = ranked.slice(MODELS_SHOWN).reduce((sum, { value }) => sum + value, 0)
  const bars = largest.map(({ model, value }) => ({
    id: model,
    name: model,
    value,
    text: format(value),
    swatch: colourOf(model).swatch,
    ...(hasScreen('/log') && {
      link: (className: string, content: ReactNode) => (
        <Link
          to="/log"
          search={{ from: String(period.start), to: String(period.end), model, user: scope.username }}
          className={className}
        >
          {content}
        </Link>
      ),
    }),
  }))
  const other = {
    id: OTHER,
    name: t('other'),
    value: otherTotal,
    text: format(otherTotal),
    swatch: OTHER_COLOUR.swatch,
  }
  return (
    <section
      aria-label={t('share')}
      className="min-w-0 rounded-card border border-line bg-surface p-4 lg:col-span-4"
    >
      <h2 className="mb-2 flex min-h-7 items-center text-small font-medium">{t('share')}</h2>
      {usage.data === undefined ? (
        <Skeleton className="h-78 w-full lg:h-97" />
      ) : bars.length === 0 ? (
        <NoUsage />
      ) : (
        <RankedBars label={t('share')} bars={otherTotal > 0 ? [...bars, other] : bars} />
      )}
    </section>
  )
}

/** Opens the log entries behind a figure. */
function useOpenLog({ scope }: Dashboard) {
  const navigate = useNavigate()
  return (search: { readonly from: string; readonly to: string }) => {
    if (hasScreen('/log')) void navigate({ to: '/log', search: { ...search, user: scope.username } })
  }
}

function NoUsage() {
  const t = useScreenText()
  return (
    <p className="flex h-78 items-center lg:h-97 justify-center gap-2 text-small text-muted">
      <ChartColumn size={16} aria-hidden />
      {t('noUsage')}
    </p>
  )
}
