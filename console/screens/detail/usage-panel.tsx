import { useNavigate } from '@tanstack/react-router'
import { ChartColumn, Download, Image } from 'lucide-react'
import { useMemo } from 'react'
import { downloadFile, downloadText, toCsv } from '../../app/list/csv.ts'
import { LoadError } from '../../app/api/load-error.tsx'
import { formatNumber, useMoney } from '../../app/money/money.tsx'
import { hasScreen } from '../../app/router/screens.ts'
import { buttonClasses, classes } from '../../ui/class-names.ts'
import { RankedBars } from '../../ui/data/chart/ranked-bars.tsx'
import { type Series, type Slot, type SlotRange, seriesColours } from '../../ui/data/chart/series.ts'
import { SlotTable } from '../../ui/data/chart/slot-table.tsx'
import { StackedBars } from '../../ui/data/chart/stacked-bars.tsx'
import { IconButton } from '../../ui/buttons/button.tsx'
import { Skeleton } from '../../ui/feedback/progress.tsx'
import { drawChart } from './draw-chart.ts'
import { MEASURES } from './search-params.ts'
import { useScreenText } from './text.ts'
import { slotEnd, OTHER, rankModels, type ModelTotal, toSeries, toSlots } from './usage-data.ts'
import type { Dashboard } from './dashboard.ts'

const PERCENT = 100
/** As many as the chart has colours. */
const SHARES_SHOWN = 8
const NO_ROWS = [] as const

interface UsageFigures {
  readonly slots: readonly Slot[]
  readonly series: readonly Series[]
  readonly ranked: readonly ModelTotal[]
  readonly total: number
  readonly format: (value: number) => string
}

/** Usage over time by model, and which models it was. */
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
  const [first] = ranked
  const said = first
    ? t('overTimeSaid', {
        total: format(total),
        share: Math.round((first.value / total) * PERCENT),
        model: first.model,
      })
    : t('overTime')
  const select = ({ from, to }: SlotRange) => {
    const begin = slots[from]
    const end = slots[to]
    if (begin && end) openLog({ from: String(begin.key), to: String(slotEnd(end, step)) })
  }
  return (
    <section
      aria-label={t('overTime')}
      className="min-w-0 rounded-card border border-line bg-surface p-4 lg:col-span-8"
    >
      <div className="mb-3 flex flex-wrap items-center gap-1">
        <h2 className="mr-auto min-w-0 text-small font-medium max-xl:w-full">{said}</h2>
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
        {first && <ChartTools figures={figures} title={said} />}
      </div>
      {usage.data === undefined ? (
        <Skeleton className="h-78 w-full lg:h-97" />
      ) : first ? (
        <StackedBars
          label={said}
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

function ChartTools({
  figures: { slots, series, format },
  title,
}: {
  readonly figures: UsageFigures
  readonly title: string
}) {
  const t = useScreenText()
  const saveCsv = () => {
    const head = [t('time'), ...series.map(({ name }) => name)]
    const rows = slots.map(slot => [slot.label, ...series.map(({ id }) => slot.values[id] ?? 0)])
    downloadText('usage.csv', toCsv([head, ...rows]), 'text/csv')
  }
  const savePng = async () => {
    const picture = await drawChart({ title, slots, series, format })
    if (picture) downloadFile('usage.png', picture)
  }
  return (
    <>
      <SlotTable
        slots={slots}
        series={series}
        format={format}
        texts={{ asTable: t('asTable'), caption: t('overTime'), time: t('time') }}
      />
      <IconButton label={t('exportCsv')} icon={Download} size="small" onClick={saveCsv} />
      <IconButton label={t('exportPng')} icon={Image} size="small" onClick={() => void savePng()} />
    </>
  )
}

function ModelShare({ dashboard, figures: { ranked, format } }: UsagePanelProps) {
  const t = useScreenText()
  const openLog = useOpenLog(dashboard)
  const { period, usage } = dashboard
  const shown = ranked.slice(0, SHARES_SHOWN)
  const rest = ranked.slice(SHARES_SHOWN).reduce((sum, { value }) => sum + value, 0)
  const bars = shown.map(({ model, value }, index) => ({
    id: model,
    name: model,
    value,
    text: format(value),
    swatch: seriesColours(index).swatch,
    onSelect: () => openLog({ from: String(period.start), to: String(period.end), model }),
  }))
  const other = {
    id: OTHER,
    name: t('other'),
    value: rest,
    text: format(rest),
    swatch: seriesColours(Number.POSITIVE_INFINITY).swatch,
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
        <RankedBars label={t('share')} bars={rest > 0 ? [...bars, other] : bars} />
      )}
    </section>
  )
}

/** Leads to the rows behind a figure. */
function useOpenLog({ whose }: Dashboard) {
  const navigate = useNavigate()
  return (search: { readonly from: string; readonly to: string; readonly model?: string }) => {
    if (hasScreen('/log')) void navigate({ to: '/log', search: { ...search, user: whose.username } })
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
