import { useQuery } from '@tanstack/react-query'
import { Tags } from 'lucide-react'
import { useState } from 'react'
import { ListTools, useListSearchParams } from '#console/app/list/list-page.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { classes } from '#console/ui/class-names.ts'
import { Facet, FilterBar, SearchBox } from '#console/ui/data/filter/filters.tsx'
import type { ColumnChoice } from '#console/ui/data/table/column.ts'
import { groupsQuery, useTypeNames } from './queries.ts'
import { ChannelSearch, countActiveFilters } from './search-params.ts'
import { useScreenText } from './text.ts'

const STATUS_VALUES = ['1', '2', '3'] as const
const STATUS_WORDS = { 1: 'enabled', 2: 'disabled', 3: 'autoDisabled' } as const

interface ChannelsFiltersProps {
  readonly columns: readonly ColumnChoice[]
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

/** Search, facets and the grouping by tag, all kept in the URL. */
export function ChannelsFilters({ columns, isBusy, onRefresh }: ChannelsFiltersProps) {
  const t = useScreenText()
  const { search, setFilter } = useListSearchParams(ChannelSearch)
  const [wantsGroups, setWantsGroups] = useState(false)
  const { data: groups = [] } = useQuery({ ...groupsQuery, enabled: wantsGroups })
  const wantGroups = () => setWantsGroups(true)
  const types = useTypeNames()
  const isByTag = search.tagmode === '1'
  return (
    <FilterBar
      search={
        <SearchBox isMain label={t('searchKeyword')} value={search.q} onSearch={q => setFilter({ q })} />
      }
      active={countActiveFilters(search)}
      onClear={() => setFilter({ model: '', group: '', status: '', type: '' })}
      tools={
        <>
          <Button
            variant="ghost"
            icon={Tags}
            aria-pressed={isByTag}
            className={classes(isByTag ? 'bg-selected text-accent' : 'text-muted')}
            onClick={() => setFilter({ tagmode: isByTag ? '' : '1' })}
          >
            {t('byTag')}
          </Button>
          <ListTools table="channels" columns={columns} isBusy={isBusy} onRefresh={onRefresh} />
        </>
      }
    >
      <SearchBox
        isMono
        className="w-full sm:w-44"
        label={t('searchModel')}
        value={search.model}
        onSearch={model => setFilter({ model })}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only loads the groups before the facet inside opens */}
      <span className="contents" onPointerOver={wantGroups} onFocus={wantGroups}>
        <Facet
          label={t('groups')}
          options={groups.map(group => ({ value: group, label: group }))}
          value={search.group}
          onChange={group => setFilter({ group })}
        />
      </span>
      <Facet
        label={t('status')}
        options={STATUS_VALUES.map(value => ({ value, label: t(STATUS_WORDS[value]) }))}
        value={search.status}
        onChange={status => setFilter({ status: STATUS_VALUES.find(value => value === status) })}
      />
      <Facet
        label={t('type')}
        options={[...types.values()].map(({ type, name }) => ({ value: String(type), label: name }))}
        value={search.type}
        onChange={type => setFilter({ type })}
      />
    </FilterBar>
  )
}
