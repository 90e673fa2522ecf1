import { useQuery } from '@tanstack/react-query'
import { RangeFilter } from '../../app/range-filter.tsx'
import { Facet } from '../../ui/filter/facet.tsx'
import { FilterBar } from '../../ui/filter/filter-bar.tsx'
import { MultiFacet } from '../../ui/filter/multi-facet.tsx'
import { RefreshButton } from '../../ui/filter/refresh-button.tsx'
import { SearchBox } from '../../ui/filter/search-box.tsx'
import type { Column, TableView } from '../../ui/table/column.ts'
import { ViewButton } from '../../ui/table/view-button.tsx'
import { useText } from '../../ui/text.ts'
import { countsByName, namedById, typeOptions } from './facet-options.ts'
import { activeFilters, modelsIn, NO_FILTERS } from './log-state.ts'
import { facetsQuery } from './queries.ts'
import type { Row } from './row.ts'
import { text } from './text.ts'
import { keepRange, type LogUrl } from './use-log-view.ts'

interface LogFiltersProps {
  readonly url: LogUrl
  readonly columns: ReadonlyArray<Column<Row>>
  readonly tableView: TableView
  readonly onTableView: (view: TableView) => void
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

/** Range, facets with their counts, and the request id. All of it stands in the address. */
export function LogFilters({ url, columns, tableView, onTableView, isBusy, onRefresh }: LogFiltersProps) {
  const t = useText(text)
  const { search, setFilter, isAdmin, view } = url
  const { data: facets } = useQuery(facetsQuery(view))
  return (
    <FilterBar
      search={<LogRange url={url} />}
      active={activeFilters(search) + Number(search.request !== '')}
      onClear={() => setFilter(NO_FILTERS)}
      tools={
        <>
          <RefreshButton isBusy={isBusy} onRefresh={onRefresh} />
          <ViewButton columns={columns} view={tableView} onChange={onTableView} />
        </>
      }
    >
      <Facet
        label={t('type')}
        options={typeOptions(facets, t)}
        value={search.type}
        onChange={type =>
          setFilter({ type: typeOptions(facets, t).find(({ value }) => value === type)?.value })
        }
      />
      <MultiFacet
        label={t('model')}
        options={countsByName(facets?.models)}
        values={modelsIn(search.model)}
        onChange={models => setFilter({ model: models.join(',') })}
      />
      <Facet
        isFree
        label={t('token')}
        options={countsByName(facets?.tokens)}
        value={search.token}
        onChange={token => setFilter({ token })}
      />
      <Facet
        isFree
        label={t('group')}
        options={countsByName(facets?.groups)}
        value={search.group}
        onChange={group => setFilter({ group })}
      />
      {isAdmin && (
        <>
          <Facet
            isFree
            label={t('channel')}
            options={namedById(facets?.channels)}
            value={search.channel}
            onChange={channel => setFilter({ channel })}
          />
          <Facet
            isFree
            label={t('user')}
            options={countsByName(facets?.users)}
            value={search.user}
            onChange={user => setFilter({ user })}
          />
        </>
      )}
      <SearchBox
        isMain
        isMono
        className="w-full sm:w-52"
        label={t('requestId')}
        value={search.request}
        onSearch={request => setFilter({ request })}
      />
    </FilterBar>
  )
}

function LogRange({ url }: { readonly url: LogUrl }) {
  const { search, setFilter, range, span, endSeconds } = url
  return (
    <RangeFilter
      range={range}
      isExact={search.from !== '' || search.to !== ''}
      span={span}
      endSeconds={endSeconds}
      onRange={chosen => {
        keepRange(chosen)
        setFilter({ range: chosen, from: '', to: '' })
      }}
      onExact={(from, to) => setFilter({ from: String(from), to: String(to) })}
    />
  )
}
