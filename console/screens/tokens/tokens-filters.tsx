import { Download } from 'lucide-react'
import { useCallback } from 'react'
import { errorText } from '../../app/call-error.ts'
import { downloadText, toCsv } from '../../app/csv.ts'
import type { ListUrl } from '../../app/list-url.ts'
import { useTableView } from '../../app/table-state.ts'
import { formatDateTime } from '../../app/time.ts'
import { FilterBar } from '../../ui/filter/filter-bar.tsx'
import { RefreshButton } from '../../ui/filter/refresh-button.tsx'
import { SearchBox } from '../../ui/filter/search-box.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { ViewButton } from '../../ui/table/view-button.tsx'
import { type Translate, useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { EXPORT_MAX, fetchAllTokens } from './queries.ts'
import type { TokenSearch } from './search.ts'
import { text } from './text.ts'
import { useTokenColumns } from './token-columns.tsx'
import { NEVER } from './token-state.ts'

/** Both boxes share a line on phones. */
const HALF = 'w-[calc(50%-4px)] sm:w-60'

interface TokensFiltersProps {
  readonly url: ListUrl<typeof TokenSearch>
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

export function TokensFilters({ url, isBusy, onRefresh }: TokensFiltersProps) {
  const t = useText(text)
  const { search, setFilter } = url
  const searchName = useCallback((q: string) => setFilter({ q }), [setFilter])
  const searchKey = useCallback((key: string) => setFilter({ key }), [setFilter])
  const [view, setView] = useTableView('tokens')
  const columns = useTokenColumns()
  return (
    <FilterBar
      active={0}
      onClear={() => setFilter({ q: '', key: '' })}
      search={
        <>
          <SearchBox label={t('searchName')} value={search.q} onSearch={searchName} isMain className={HALF} />
          <SearchBox label={t('searchKey')} value={search.key} onSearch={searchKey} isMono className={HALF} />
        </>
      }
      tools={
        <>
          <RefreshButton isBusy={isBusy} onRefresh={onRefresh} />
          <IconButton label={t('exportCsv')} icon={Download} onClick={() => void exportTokens(search, t)} />
          <ViewButton columns={columns} view={view} onChange={setView} />
        </>
      }
    />
  )
}

/** All tokens of the current search as a file, without their keys. */
async function exportTokens(search: TokenSearch, t: Translate<keyof typeof text.zh>): Promise<void> {
  try {
    const tokens = await fetchAllTokens({ q: search.q, key: search.key })
    const head = [t('name'), t('status'), t('group'), t('used'), t('remaining'), t('created'), t('expires')]
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
