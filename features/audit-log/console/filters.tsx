import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useCallback } from 'react'
import { formatDateTime, nowSeconds } from '#console/app/format/format.tsx'
import { downloadFile } from '#console/app/list/csv.ts'
import { type ListSearchParams, ListTools } from '#console/app/list/list-page.tsx'
import { RangeFilter, type TimeRange } from '#console/app/time/range-filter.tsx'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { Facet, FilterBar, SearchBox } from '#console/ui/data/filter/filters.tsx'
import type { ColumnChoice } from '#console/ui/data/table/column.ts'
import type { AuditFilter } from '../contract/audit-log.ts'
import { fetchCsv } from './queries.ts'
import { type AuditSearch, NO_FILTERS } from './search-params.ts'
import { KINDS, useScreenText } from './text.ts'

interface AuditFiltersProps {
  readonly url: ListSearchParams<typeof AuditSearch>
  readonly range: TimeRange
  /** The filter of the list, for the export. */
  readonly filter: AuditFilter
  /** Name of the table, for its stored columns. */
  readonly table: string
  readonly columns: readonly ColumnChoice[]
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

/** Time range, text and facets, all kept in the URL. */
export function AuditFilters({ url, range, filter, ...tools }: AuditFiltersProps) {
  const t = useScreenText()
  const { search, setFilter } = url
  const searchFor = useCallback((text: string) => setFilter({ search: text }), [setFilter])
  const csv = useMutation({
    mutationFn: () => fetchCsv(filter),
    onSuccess: file => downloadFile(`audit-log ${formatDateTime(nowSeconds())}.csv`, file),
  })
  return (
    <FilterBar
      search={
        <>
          {filter.target === '' && <RangeFilter {...range} onChange={setFilter} />}
          <SearchBox isMain label={t('search')} value={search.search} onSearch={searchFor} />
        </>
      }
      active={[search.actor, search.kind, filter.target, search.action].filter(value => value !== '').length}
      onClear={() => setFilter(NO_FILTERS)}
      tools={
        <ListTools {...tools}>
          <IconButton
            label={t('exportCsv')}
            icon={Download}
            isBusy={csv.isPending}
            onClick={() => csv.mutate()}
          />
        </ListTools>
      }
    >
      <Facet
        isFree
        label={t('actor')}
        options={[]}
        value={search.actor}
        onChange={actor => setFilter({ actor })}
      />
      <Facet
        isFree
        label={t('kind')}
        options={KINDS.map(value => ({ value, label: t(value) }))}
        value={search.kind}
        onChange={kind => setFilter({ kind, target: '' })}
      />
      {search.kind !== '' && (
        <Facet
          isFree
          label={t('target')}
          options={[]}
          value={search.target}
          onChange={target => setFilter({ target })}
        />
      )}
      <Facet
        isFree
        label={t('requestOf')}
        options={[]}
        value={search.action}
        onChange={action => setFilter({ action })}
      />
    </FilterBar>
  )
}
