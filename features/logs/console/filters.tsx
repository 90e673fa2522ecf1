import { useQuery } from '@tanstack/react-query'
import { RangeFilter } from '#console/app/time/range-filter.tsx'
import type { FacetOption } from '#console/ui/data/filter/facet-list.tsx'
import { Facet, FilterBar, RefreshButton, SearchBox } from '#console/ui/data/filter/filters.tsx'
import type { Column, TableView } from '#console/ui/data/table/column.ts'
import { ViewButton } from '#console/ui/data/table/view-button.tsx'
import type { Translate } from '#console/ui/text/text.ts'
import type { Facets } from '../contract/logs.ts'
import { type Row, typeBadge } from './entry.ts'
import { MultiFacet } from './multi-facet.tsx'
import { facetsQuery } from './queries.ts'
import { type text, useScreenText } from './text.ts'
import {
  countActiveFilters,
  excludedValues,
  FILTER_FIELDS,
  type FilterField,
  type LogUrl,
  NO_FILTERS,
  parseErrors,
  parseModels,
  setExcluded,
  storeRange,
} from './view.ts'

const NAMED_FIELDS = ['token', 'group', 'channel', 'user'] as const
const ADMIN_FIELDS: ReadonlySet<string> = new Set(['channel', 'user'])

interface LogFiltersProps {
  readonly url: LogUrl
  readonly columns: ReadonlyArray<Column<Row>>
  readonly tableView: TableView
  readonly onTableView: (view: TableView) => void
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

/** The time range, facets with their counts, and the request id. The URL holds the state of all of them. */
export function LogFilters({ url, columns, tableView, onTableView, isBusy, onRefresh }: LogFiltersProps) {
  const t = useScreenText()
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
  const errors = optionsByName(facets?.errors)
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
        label={t('error')}
        options={errors}
        values={parseErrors(search.error)}
        onChange={chosen => setFilter({ error: chosen.join('\n') })}
      />
      <MultiFacet
        label={t('model')}
        options={options.model}
        values={parseModels(search.model)}
        onChange={models => setFilter({ model: models.join(',') })}
      />
      {NAMED_FIELDS.filter(field => isAdmin || !ADMIN_FIELDS.has(field)).map(field => (
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
        isMono
        className="w-full sm:w-34"
        label={t('tag')}
        value={search.tag}
        onSearch={tag => setFilter({ tag })}
      />
      <SearchBox
        isMain
        isMono
        className="w-full sm:w-36"
        label={t('requestId')}
        value={search.request}
        onSearch={request => setFilter({ request })}
      />
    </FilterBar>
  )
}

function LogRange({ url }: { readonly url: LogUrl }) {
  const { setFilter, range, isExact, span, endSeconds } = url
  return (
    <RangeFilter
      range={range}
      isExact={isExact}
      span={span}
      endSeconds={endSeconds}
      onChange={change => {
        if (change.range) storeRange(change.range)
        setFilter(change)
      }}
    />
  )
}

const TYPES = ['1', '2', '3', '4', '5', '7'] as const

type TypeOption = FacetOption & { readonly value: (typeof TYPES)[number] }

/** All log types, those without rows in the range too, with their counts once loaded. */
function typeOptions(facets: Facets | undefined, t: Translate<keyof typeof text.zh>): TypeOption[] {
  const counts = new Map(facets?.types.map(({ value, count }) => [value, count]))
  return TYPES.map(value => ({
    value,
    label: t(typeBadge(Number(value)).textKey),
    ...(facets && { count: counts.get(value) ?? 0 }),
  }))
}

/** Options of a field that is filtered by name. Entries with the same name count together. */
function optionsByName(
  values: ReadonlyArray<{ readonly value: string; readonly count: number }> = [],
): FacetOption[] {
  const counts = new Map<string, number>()
  for (const { value, count } of values) counts.set(value, (counts.get(value) ?? 0) + count)
  return [...counts].map(([value, count]) => ({ value, label: value, count }))
}

const optionsById = (values: Facets['channels'] = []): FacetOption[] =>
  values.map(({ id, value, count }) => ({ value: String(id), label: `${value} #${id}`, count }))

interface ExclusionFacetsProps {
  readonly url: LogUrl
  readonly options: Readonly<Record<FilterField, readonly FacetOption[]>>
}

/** One facet for each field with excluded values. */
function ExclusionFacets({ url: { search, setFilter }, options }: ExclusionFacetsProps) {
  const t = useScreenText()
  return FILTER_FIELDS.map(field => {
    const values = excludedValues(search, field)
    if (values.length === 0) return null
    return (
      <MultiFacet
        key={field}
        label={t('isNot', { field: t(field) })}
        options={options[field]}
        values={values}
        onChange={excluded => setFilter(setExcluded(field, excluded))}
      />
    )
  })
}
