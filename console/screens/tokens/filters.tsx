import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useCallback } from 'react'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { errorText } from '../../app/api/call.ts'
import { formatDateTime } from '../../app/format/format.tsx'
import { downloadText, toCsv } from '../../app/list/csv.ts'
import type { ListSearchParams } from '../../app/list/list-search-params.ts'
import { useTableView } from '../../app/list/table-view.ts'
import { IconButton } from '../../ui/buttons/buttons.tsx'
import { Facet, FilterBar, RefreshButton, SearchBox } from '../../ui/data/filter/filters.tsx'
import { ViewButton } from '../../ui/data/table/view-button.tsx'
import { toast } from '../../ui/overlays/messages.tsx'
import type { Translate } from '../../ui/text/text.ts'
import { useTokenColumns } from './columns.tsx'
import { EXPORT_MAX, fetchAllTokens, groupsQuery } from './queries.ts'
import { TokenSearch } from './search-params.ts'
import { type text, useScreenText } from './text.ts'
import { NEVER } from './token.ts'

export const NO_FILTERS = { q: '', key: '', status: '', group: '' } as const
const STATUSES = ['enabled', 'disabled', 'expired', 'exhausted'] as const

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
  const [view, setView] = useTableView('tokens')
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
        <>
          <RefreshButton isBusy={isBusy} onRefresh={onRefresh} />
          <IconButton label={t('exportCsv')} icon={Download} onClick={() => void exportTokens(search, t)} />
          <ViewButton columns={columns} view={view} onChange={setView} />
        </>
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

/** Downloads all tokens that match the filters as CSV, without their keys. */
async function exportTokens(search: TokenSearch, t: Translate<keyof typeof text.zh>): Promise<void> {
  try {
    const tokens = await fetchAllTokens(search)
    const head = [
      t('name'),
      t('status'),
      t('group'),
      t('used'),
      t('remaining'),
      t('created'),
      t('expired_time'),
    ]
    const lines = tokens.map(token => [
      token.name,
      token.status,
      token.group,
      token.used_quota,
      token.unlimited_quota ? t('unlimited') : token.remain_quota,
      formatDateTime(token.created_time),
      token.expired_time === NEVER ? t('never') : formatDateTime(token.expired_time),
    ])
    downloadText('tokens.csv', toCsv([head, ...lines]), 'text/csv')
    if (tokens.length >= EXPORT_MAX) toast('warning', t('exportTooMany', { count: EXPORT_MAX }))
  } catch (error) {
    toast('error', errorText(error))
  }
}
