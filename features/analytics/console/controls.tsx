import { useQueryClient } from '@tanstack/react-query'
import { Download, X } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { formatDateTime } from '#console/app/format/format.tsx'
import { downloadFile } from '#console/app/list/csv.ts'
import { RangeFilter } from '#console/app/time/range-filter.tsx'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { RefreshButton } from '#console/ui/data/filter/filters.tsx'
import { Checkbox, Select } from '#console/ui/forms/fields.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { ANALYTICS_BUCKETS } from '#contract/enums.ts'
import type { Analytics } from './analytics.ts'
import { hasId, measureName } from './figures.ts'
import { fetchCsv, reportQuery } from './queries.ts'
import { AnalyticsSearch } from './search-params.ts'
import { useAnalyticsText } from './text.ts'

/** A choice of a dimension is its name, or this and the key of a tag. */
const TAG = 'tag:'

function useDimensionOptions({ offered, tagKeys, tagKey }: Analytics) {
  const t = useAnalyticsText()
  const keys = tagKey === '' || tagKeys.includes(tagKey) ? tagKeys : [...tagKeys, tagKey]
  return [
    ...offered.filter(value => value !== 'tag').map((value): Choice => ({ value, label: t(value) })),
    ...keys.map((key): Choice => ({ value: `${TAG}${key}`, label: t('tagOf', { key }) })),
  ]
}

interface Choice {
  readonly value: string
  readonly label: string
}

const nameOf = (choice: string): string => choice.split(':')[0] ?? ''
const keyOf = (choice: string) => (choice.startsWith(TAG) ? { key: choice.slice(TAG.length) } : {})

/** Measure, dimensions, interval and filters. The URL holds all of them. */
export function AnalyticsControls({ analytics }: { readonly analytics: Analytics }) {
  const t = useAnalyticsText()
  const { search, set, isAdmin, time, measures, measure, first, second, report } = analytics
  const byOptions = useDimensionOptions(analytics)
  const choiceOf = (name: typeof second) => (name === 'tag' ? `${TAG}${analytics.tagKey}` : name)
  return (
    <search className="mb-4 flex flex-wrap items-end gap-2">
      <RangeFilter
        range={time.range}
        isExact={time.isExact}
        span={time.span}
        endSeconds={time.endSeconds}
        onChange={set}
      />
      <Labelled label={t('measure')}>
        {id => (
          <Select
            id={id}
            value={measure}
            onChange={chosen => set({ measure: chosen })}
            options={measures.map(value => ({ value, label: measureName(value, isAdmin, t) }))}
          />
        )}
      </Labelled>
      <Labelled label={t('by')}>
        {id => (
          <Select
            id={id}
            value={choiceOf(first)}
            onChange={chosen =>
              set({ first: AnalyticsSearch.shape.first.parse(nameOf(chosen)), ...keyOf(chosen) })
            }
            options={byOptions}
          />
        )}
      </Labelled>
      <Labelled label={t('second')}>
        {id => (
          <Select
            id={id}
            value={second === first ? '' : choiceOf(second)}
            onChange={chosen =>
              set({ second: AnalyticsSearch.shape.second.parse(nameOf(chosen)), ...keyOf(chosen) })
            }
            options={[
              { value: '', label: t('none') },
              ...byOptions.filter(({ value }) =>
                first === 'tag' ? !value.startsWith(TAG) : value !== first,
              ),
            ]}
          />
        )}
      </Labelled>
      <Labelled label={t('bucket')}>
        {id => (
          <Select
            id={id}
            value={search.bucket}
            onChange={bucket => set({ bucket })}
            options={[
              { value: '' as const, label: t('automatic') },
              ...ANALYTICS_BUCKETS.map(value => ({ value, label: t(value) })),
            ]}
          />
        )}
      </Labelled>
      <span className="flex h-9 items-center text-small">
        <Checkbox
          checked={search.compare !== ''}
          onChange={event => set({ compare: event.target.checked ? '1' : '' })}
        >
          {t('compare')}
        </Checkbox>
      </span>
      <span className="ml-auto flex items-center gap-1">
        <CsvButton analytics={analytics} />
        <RefreshButton isBusy={report.isFetching} onRefresh={time.refresh} />
      </span>
      <ActiveFilters analytics={analytics} />
    </search>
  )
}

interface LabelledProps {
  readonly label: string
  readonly children: (id: string) => ReactNode
}

function Labelled({ label, children }: LabelledProps) {
  const id = useId()
  return (
    <div className="grid gap-1 max-sm:flex-1 max-sm:basis-36">
      <label htmlFor={id} className="text-caption text-muted">
        {label}
      </label>
      {children(id)}
    </div>
  )
}

const dateOf = (unixSeconds: number): string => formatDateTime(unixSeconds).slice(0, 10)

function CsvButton({ analytics }: { readonly analytics: Analytics }) {
  const t = useAnalyticsText()
  const [isBusy, setBusy] = useState(false)
  const queries = useQueryClient()
  const { request, first, second } = analytics
  const parts = second === '' || second === first ? first : `${first}-and-${second}`
  const save = async () => {
    setBusy(true)
    try {
      // The report knows the days of a relative range. It may still be loading.
      const [{ start_timestamp, end_timestamp }, csv] = await Promise.all([
        queries.ensureQueryData(reportQuery(request)),
        fetchCsv(request),
      ])
      downloadFile(
        `analytics-by-${parts}-${dateOf(start_timestamp)}-to-${dateOf(end_timestamp - 1)}.csv`,
        csv,
      )
    } catch (error) {
      toast('error', errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return <IconButton label={t('exportCsv')} icon={Download} isBusy={isBusy} onClick={() => void save()} />
}

function ActiveFilters({ analytics: { search, set, dimensions } }: { readonly analytics: Analytics }) {
  const t = useAnalyticsText()
  const active = dimensions.filter(name => search[name] !== '')
  if (active.length === 0) return null
  return (
    <div className="flex w-full flex-wrap gap-1.5">
      {active.map(name => (
        <button
          key={name}
          type="button"
          aria-label={t('removeFilter', { name: `${t(name)} ${search[name]}` })}
          onClick={() => set({ [name]: '' })}
          className="flex h-7 max-w-full items-center gap-1.5 rounded-control border border-line-strong bg-surface px-2 text-small touch-target hover:bg-hover"
        >
          <span className="text-muted">{t(name)}</span>
          <span className="truncate">{hasId(name) ? `#${search[name]}` : search[name]}</span>
          <X size={13} aria-hidden className="shrink-0 text-muted" />
        </button>
      ))}
    </div>
  )
}
