import { RANGES, formatShortSpan } from '../../app/time/ranges.ts'
import { formatDateTime, nowSeconds, parseDateTime, timeZoneName } from '../../app/time/time.tsx'
import { classes } from '../../ui/class-names.ts'
import { RefreshButton, SearchBox } from '../../ui/data/filter/filters.tsx'
import { RangeFacet } from '../../ui/data/filter/range-facet.tsx'
import type { Dashboard } from './dashboard.ts'
import { STEPS } from './search-params.ts'
import { useScreenText } from './text.ts'

/** The time range, the granularity and, for administrators, the user. The URL holds the state of all of them. */
export function DashboardFilters({ dashboard }: { readonly dashboard: Dashboard }) {
  const t = useScreenText()
  const { search, set, isAdmin, usage, refresh } = dashboard
  return (
    <search className="mb-4 flex flex-wrap items-center gap-2">
      <RangeFilter dashboard={dashboard} />
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

/** The value of a `datetime-local` input. */
const toInputValue = (unixSeconds: number): string => formatDateTime(unixSeconds).replace(' ', 'T')

function RangeFilter({ dashboard: { search, set, range, period } }: { readonly dashboard: Dashboard }) {
  const t = useScreenText()
  const isExact = search.from !== '' || search.to !== ''
  const setExact = (fromText: string, toText: string): boolean => {
    const from = parseDateTime(fromText)
    const to = parseDateTime(toText)
    if (from === undefined || to === undefined || to < from) return false
    set({ from: String(from), to: String(to) })
    return true
  }
  return (
    <RangeFacet
      label={t('range')}
      presets={RANGES.map(value => ({ value, label: t(value) }))}
      preset={isExact ? undefined : range}
      chosen={isExact ? formatShortSpan(period.start, period.end, nowSeconds()) : t(range)}
      from={toInputValue(period.start)}
      to={toInputValue(period.end)}
      note={`${formatDateTime(period.start)} - ${isExact ? formatDateTime(period.end) : t('now')} · ${timeZoneName()}`}
      texts={{ from: t('from'), to: t('to'), apply: t('applyRange'), invalid: t('wrongRange') }}
      onPreset={preset => set({ range: RANGES.find(value => value === preset), from: '', to: '' })}
      onExact={setExact}
    />
  )
}
