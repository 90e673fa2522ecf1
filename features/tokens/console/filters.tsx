import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { formatDateTime } from '#console/app/format/format.tsx'
import type { CsvExport } from '#console/app/list/csv.ts'
import { type ListSearchParams, ListTools } from '#console/app/list/list-page.tsx'
import { Facet, FilterBar, SearchBox } from '#console/ui/data/filter/filters.tsx'
import type { Token } from '#contract/entities/token.ts'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { fetchTokens, groupsQuery } from './queries.ts'
import { TokenSearch } from './search-params.ts'
import { useTokenColumns } from './table.tsx'
import { type ScreenTranslate, useScreenText } from './text.ts'
import { NEVER } from './token.ts'

export const NO_FILTERS = { q: '', key: '', status: '', group: '' } as const
export const STATUSES = ['enabled', 'disabled', 'expired', 'exhausted'] as const

/** Both search boxes share a line on phones. */
const SEARCH_WIDTH = 'w-[calc(50%-4px)] sm:w-44 lg:w-60'

interface TokensFiltersProps {
  readonly url: ListSearchParams<typeof TokenSearch>
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

export function TokensFilters({ url, isBusy, onRefresh }: TokensFiltersProps) {
  const t = useScreenText()
  const { search, setFilter } = url
  const searchName = useCallback((q: string) => setFilter({ q }), [setFilter])
  const searchKey = useCallback((key: string) => setFilter({ key }), [setFilter])
  const columns = useTokenColumns()
  const { data: groups = {} } = useQuery(groupsQuery)
  const { status } = TokenSearch.shape
  return (
    <FilterBar
      active={[search.status, search.group].filter(value => value !== '').length}
      onClear={() => setFilter({ status: '', group: '' })}
      search={
        <>
          <SearchBox
            label={t('searchName')}
            value={search.q}
            onSearch={searchName}
            isMain
            className={SEARCH_WIDTH}
          />
          <SearchBox
            label={t('searchKey')}
            value={search.key}
            onSearch={searchKey}
            isMono
            className={SEARCH_WIDTH}
          />
        </>
      }
      tools={
        <ListTools
          table="tokens"
          columns={columns}
          isBusy={isBusy}
          onRefresh={onRefresh}
          csv={tokensCsv(search, t)}
        />
      }
    >
      <Facet
        label={t('status')}
        options={STATUSES.map(state => ({ value: String(TOKEN_STATUS[state]), label: t(state) }))}
        value={search.status}
        onChange={picked => setFilter({ status: status.parse(picked) })}
      />
      <Facet
        label={t('group')}
        options={Object.entries(groups).map(([value, { desc }]) => ({
          value,
          label: desc === value ? value : `${value} · ${desc}`,
        }))}
        value={search.group}
        onChange={group => setFilter({ group })}
      />
    </FilterBar>
  )
}

/** The export of all tokens that match the filters, without their keys. */
const tokensCsv = (search: TokenSearch, t: ScreenTranslate): CsvExport<Token> => ({
  label: t('exportCsv'),
  fileName: 'tokens.csv',
  columns: [
    [t('name'), token => token.name],
    [t('status'), token => token.status],
    [t('group'), token => token.group],
    [t('used'), token => token.used_quota],
    [t('remaining'), token => (token.unlimited_quota ? t('unlimited') : token.remain_quota)],
    [t('created'), token => formatDateTime(token.created_time)],
    [
      t('expired_time'),
      token => (token.expired_time === NEVER ? t('never') : formatDateTime(token.expired_time)),
    ],
  ],
  fetchPage: async (page, size) => (await fetchTokens(search, page - 1, size)).rows,
  tooMany: count => t('exportTooMany', { count }),
})
