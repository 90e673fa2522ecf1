import { RangeFilter } from '#console/app/time/range-filter.tsx'
import { classes } from '#console/ui/class-names.ts'
import { RefreshButton, SearchBox } from '#console/ui/data/filter/filters.tsx'
import type { Dashboard } from './dashboard.ts'
import { STEPS } from './search-params.ts'
import { useScreenText } from './text.ts'

/** The time range, the granularity and, for administrators, the user. The URL holds the state of all of them. */
export function DashboardFilters({ dashboard }: { readonly dashboard: Dashboard }) {
  const t = useScreenText()
  const { search, set, isAdmin, usage, refresh } = dashboard
  return (
    <search className="mb-4 flex flex-wrap items-center gap-2">
      <DashboardRange dashboard={dashboard} />
      <StepSwitch dashboard={dashboard} />
      {isAdmin && (
        <SearchBox
          isMain
          label={t('user')}
          value={search.user}
          onSearch={user => set({ user })}
          className="sm:w-52 max-sm:flex-1 max-sm:basis-60"
        />
      )}
      <span className="ml-auto">
        <RefreshButton isBusy={usage.isFetching} onRefresh={refresh} />
      </span>
    </search>
  )
}

function StepSwitch({ dashboard: { step, set } }: { readonly dashboard: Dashboard }) {
  const t = useScreenText()
  return (
    <fieldset
      aria-label={t('step')}
      className="flex rounded-control border border-line-strong bg-surface p-0.5"
    >
      {STEPS.map(option => (
        <button
          key={option}
          type="button"
          aria-pressed={option === step}
          onClick={() => set({ by: option })}
          className={classes(
            'h-7.5 rounded-[4px] px-2.5 text-small sm:px-3 touch-target coarse:h-10',
            option === step ? 'bg-selected font-medium text-accent' : 'text-muted hover:text-fg',
          )}
        >
          {t(option)}
        </button>
      ))}
    </fieldset>
  )
}

function DashboardRange({ dashboard: { search, set, range, period } }: { readonly dashboard: Dashboard }) {
  const isExact = search.from !== '' || search.to !== ''
  return (
    <RangeFilter
      range={range}
      isExact={isExact}
      span={{ start: period.start, end: isExact ? period.end : 0 }}
      endSeconds={period.end}
      onChange={set}
    />
  )
}
