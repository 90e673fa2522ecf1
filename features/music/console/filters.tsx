import { useCallback } from 'react'
import { type ListSearchParams, ListTools } from '#console/app/list/list-page.tsx'
import { RangeFilter, type TimeRange } from '#console/app/time/range-filter.tsx'
import { Facet, FilterBar, SearchBox } from '#console/ui/data/filter/filters.tsx'
import type { ColumnChoice } from '#console/ui/data/table/column.ts'
import { TASK_PLATFORMS } from '../contract.ts'
import type { TaskSearch } from './search-params.ts'
import { ACTIONS, STATUSES, statusBadge } from './task.ts'
import { useScreenText } from './text.ts'

export const NO_FILTERS = { task_id: '', channel: '', platform: '', action: '', status: '' } as const

interface TaskFiltersProps {
  readonly url: ListSearchParams<typeof TaskSearch>
  readonly range: TimeRange
  readonly isAdmin: boolean
  /** Name of the table, for its stored columns. */
  readonly table: string
  readonly columns: readonly ColumnChoice[]
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

/** Time range, task id and facets, all kept in the URL. */
export function TaskFilters(props: TaskFiltersProps) {
  const { url, range, isAdmin, table, columns, isBusy, onRefresh } = props
  const t = useScreenText()
  const { search, setFilter } = url
  const searchId = useCallback((task_id: string) => setFilter({ task_id }), [setFilter])
  const { channel, platform, action, status } = search
  return (
    <FilterBar
      search={
        <>
          <RangeFilter {...range} onChange={setFilter} />
          <SearchBox isMain isMono label={t('searchId')} value={search.task_id} onSearch={searchId} />
        </>
      }
      active={[channel, platform, action, status].filter(value => value !== '').length}
      onClear={() => setFilter(NO_FILTERS)}
      tools={<ListTools table={table} columns={columns} isBusy={isBusy} onRefresh={onRefresh} />}
    >
      <Facet
        label={t('platform')}
        options={TASK_PLATFORMS.map(value => ({ value, label: t(value) }))}
        value={platform}
        onChange={picked => setFilter({ platform: picked })}
      />
      <Facet
        label={t('action')}
        options={ACTIONS.map(value => ({ value, label: t(value) }))}
        value={action}
        onChange={picked => setFilter({ action: picked })}
      />
      <Facet
        label={t('status')}
        options={STATUSES.map(value => ({ value, label: t(statusBadge(value)[0]) }))}
        value={status}
        onChange={picked => setFilter({ status: picked })}
      />
      {isAdmin && (
        <Facet
          isFree
          label={t('channel')}
          options={[]}
          value={channel}
          onChange={picked => setFilter({ channel: picked })}
        />
      )}
    </FilterBar>
  )
}
