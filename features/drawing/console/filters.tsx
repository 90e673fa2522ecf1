import { Images, List } from 'lucide-react'
import { useCallback } from 'react'
import { type ListSearchParams, ListTools } from '#console/app/list/list-page.tsx'
import { RangeFilter, type TimeRange } from '#console/app/time/range-filter.tsx'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { Facet, FilterBar, SearchBox } from '#console/ui/data/filter/filters.tsx'
import type { ColumnChoice } from '#console/ui/data/table/column.ts'
import { ACTIONS, STATUSES, statusBadge } from './drawing.ts'
import type { DrawingSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

export const NO_FILTERS = { mj_id: '', channel: '', action: '', status: '' } as const

interface DrawingFiltersProps {
  readonly url: ListSearchParams<typeof DrawingSearch>
  readonly range: TimeRange
  readonly isAdmin: boolean
  /** Name of the table, for its stored columns. */
  readonly table: string
  readonly columns: readonly ColumnChoice[]
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

/** Time range, task id and facets, all kept in the URL. */
export function DrawingFilters(props: DrawingFiltersProps) {
  const { url, range, isAdmin, table, columns, isBusy, onRefresh } = props
  const t = useScreenText()
  const { search, setFilter, set } = url
  const searchId = useCallback((mj_id: string) => setFilter({ mj_id }), [setFilter])
  const isGallery = search.view === 'gallery'
  return (
    <FilterBar
      search={
        <>
          <RangeFilter {...range} onChange={setFilter} />
          <SearchBox isMain isMono label={t('searchId')} value={search.mj_id} onSearch={searchId} />
        </>
      }
      active={[search.channel, search.action, search.status].filter(value => value !== '').length}
      onClear={() => setFilter(NO_FILTERS)}
      tools={
        <ListTools table={table} columns={columns} isBusy={isBusy} onRefresh={onRefresh}>
          <IconButton
            label={t(isGallery ? 'list' : 'gallery')}
            icon={isGallery ? List : Images}
            aria-pressed={isGallery}
            onClick={() => set({ view: isGallery ? 'list' : 'gallery' })}
          />
        </ListTools>
      }
    >
      <Facet
        label={t('action')}
        options={ACTIONS.map(value => ({ value, label: t(value) }))}
        value={search.action}
        onChange={action => setFilter({ action })}
      />
      <Facet
        label={t('status')}
        options={STATUSES.map(value => ({ value, label: t(statusBadge(value)[0]) }))}
        value={search.status}
        onChange={status => setFilter({ status })}
      />
      {isAdmin && (
        <Facet
          isFree
          label={t('channel')}
          options={[]}
          value={search.channel}
          onChange={channel => setFilter({ channel })}
        />
      )}
    </FilterBar>
  )
}
