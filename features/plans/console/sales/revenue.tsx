import { useQuery } from '@tanstack/react-query'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { classes } from '#console/ui/class-names.ts'
import { TimeChart } from '#console/ui/data/chart/time-chart.tsx'
import { StatCard } from '#console/ui/data/facts.tsx'
import { MAIN_COLOUR } from '#console/ui/data/series-colours.ts'
import type { PlanRevenue } from '../../contract/plans.ts'
import { revenueQuery } from '../queries.ts'
import { useScreenText } from './text.ts'

const DAYS = 30
const RENEWALS_SHOWN = 5

/** Money by day, and the renewals ahead. */
export function Revenue() {
  const t = useScreenText()
  const { money, language } = useMoney()
  const { data, error, refetch } = useQuery(revenueQuery(DAYS))
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />
  const earned = data?.days.reduce((sum, day) => sum + day.earned, 0)
  return (
    <div className="grid grid-cols-1 gap-4">
      <dl className="grid grid-cols-2 gap-2 sm:gap-3 lg:grid-cols-4">
        <StatCard label={t('subscriberCount')} value={data && formatNumber(data.subscribers, language)} />
        <StatCard label={t('pastDueCount')} value={data && formatNumber(data.past_due, language)} />
        <StatCard
          label={t('earned', { count: DAYS })}
          value={earned === undefined ? undefined : money(earned)}
        />
        <StatCard label={t('owed')} hint={t('owedHelp')} value={data && money(data.owed)} />
      </dl>
      {data && earned !== undefined && data.subscribers + data.past_due + earned > 0 && (
        <div className={classes('grid grid-cols-1 gap-4', earned > 0 && 'lg:grid-cols-[2fr_1fr]')}>
          {earned > 0 && <EarnedChart data={data} total={earned} />}
          <Renewals data={data} />
        </div>
      )}
    </div>
  )
}

interface RevenueProps {
  readonly data: PlanRevenue
}

function EarnedChart({ data, total }: RevenueProps & { readonly total: number }) {
  const t = useScreenText()
  const { money } = useMoney()
  const label = t('chart', { amount: money(total), count: DAYS })
  return (
    <section aria-label={label} className="min-w-0 rounded-card border border-line bg-surface p-4">
      <h2 className="text-small font-medium">{label}</h2>
      <TimeChart
        label={label}
        help={t('chartHelp')}
        slots={data.days.map(({ day, earned }) => ({ key: toSeconds(day), label: day, values: { earned } }))}
        series={[{ id: 'earned', name: t('seriesEarned'), ...MAIN_COLOUR }]}
        format={money}
        onSelect={() => undefined}
        height="h-36"
      />
    </section>
  )
}

/** The beginning of a date where the reader is, so that the axis names it. */
const toSeconds = (day: string): number => new Date(`${day}T00:00:00`).getTime() / 1000

function Renewals({ data: { renewals } }: RevenueProps) {
  const t = useScreenText()
  const { money } = useMoney()
  return (
    <section aria-label={t('renewals')} className="min-w-0 rounded-card border border-line bg-surface p-4">
      <h2 className="mb-2 text-small font-medium">{t('renewals')}</h2>
      {renewals.length === 0 ? (
        <p className="text-small text-muted">{t('noRenewals', { count: DAYS })}</p>
      ) : (
        <ul className="grid gap-1.5 text-small tabular">
          {renewals.slice(0, RENEWALS_SHOWN).map(({ day, count, amount }) => (
            <li key={day} className="flex justify-between gap-4">
              <span>{day}</span>
              <span className="text-muted">{t('renewalLine', { count, amount: money(amount) })}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
