import { useQuery } from '@tanstack/react-query'
import { RangeFilter } from '../../app/time/range-filter.tsx'
import { FilterBar, SearchBox, RefreshButton, Facet } from '../../ui/data/filter/filters.tsx'
import { MultiFacet } from '../../ui/data/filter/multi-facet.tsx'
import type { Column, TableView } from '../../ui/data/table/column.ts'
import { ViewButton } from '../../ui/data/table/view-button.tsx'
import { useText } from '../../ui/text/text.ts'
import { optionsByName, optionsById, typeOptions } from './facet-options.ts'
import { ExclusionFacets } from './left-out-facets.tsx'
import { countActiveFilters, parseModels, NO_FILTERS } from './log-state.ts'
import { facetsQuery } from './queries.ts'
import type { Row } from './row.ts'
import { text } from './text.ts'
import { storeRange, type LogUrl } from './use-log-view.ts'

const NAMED_FIELDS = ['token', 'group', 'channel', 'user'] as const
const ADMINS_ONLY: ReadonlySet<string> = new Set(['channel', 'user'])

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
  const options = {
    type: typeOptions(facets, t),
    model: optionsByName(facets?.models),
    token: optionsByName(facets?.tokens),
    group: optionsByName(facets?.groups),
    channel: optionsById(facets?.channels),
    user: optionsByName(facets?.users),
  }
  return (
    <FilterBar
      search={<LogRange url={url} />}
      active={countActiveFilters(search) + Number(search.request !== '')}
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
        options={options.type}
        value={search.type}
        onChange={type => setFilter({ type: options.type.find(({ value }) => value === type)?.value })}
      />
      <MultiFacet
        label={t('model')}
        options={options.model}
        values={parseModels(search.model)}
        onChange={models => setFilter({ model: models.join(',') })}
      />
      {NAMED_FIELDS.filter(field => isAdmin || !ADMINS_ONLY.has(field)).map(field => (
        <Facet
          key={field}
          isFree
          label={t(field)}
          options={options[field]}
          value={search[field]}
          onChange={value => setFilter({ [field]: value })}
        />
      ))}
      <ExclusionFacets url={url} options={options} />
      <SearchBox
        isMain
        isMono
        className="w-full sm:w-44 lg:w-52"
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
        storeRange(chosen)
        setFilter({ range: chosen, from: '', to: '' })
      }}
      onExact={(from, to) => setFilter({ from: String(from), to: String(to) })}
    />
  )
}
