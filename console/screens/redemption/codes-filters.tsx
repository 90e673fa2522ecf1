import { Download } from 'lucide-react'
import { useCallback } from 'react'
import { errorText } from '../../app/call-error.ts'
import { downloadText, toCsv } from '../../app/csv.ts'
import type { ListUrl } from '../../app/list-url.ts'
import { useTableView } from '../../app/table-state.ts'
import { formatDateTime } from '../../app/time.ts'
import { Facet } from '../../ui/filter/facet.tsx'
import { FilterBar } from '../../ui/filter/filter-bar.tsx'
import { RefreshButton } from '../../ui/filter/refresh-button.tsx'
import { SearchBox } from '../../ui/filter/search-box.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { ViewButton } from '../../ui/table/view-button.tsx'
import { type Translate, useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { useCodeColumns } from './code-columns.tsx'
import { STATUS, stateOf } from './code-state.ts'
import { type CodeFilter, EXPORT_MAX, fetchAllCodes } from './queries.ts'
import type { RedemptionSearch } from './search.ts'
import { text } from './text.ts'

const STATES = ['unused', 'disabled', 'used'] as const

interface CodesFiltersProps {
  readonly url: ListUrl<typeof RedemptionSearch>
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

export function CodesFilters({ url, isBusy, onRefresh }: CodesFiltersProps) {
  const t = useText(text)
  const { search, setFilter } = url
  const searchFor = useCallback((q: string) => setFilter({ q }), [setFilter])
  const [view, setView] = useTableView('redemptions')
  const columns = useCodeColumns()
  const pickStatus = (picked: string) =>
    setFilter({ status: STATES.map(state => asStatus(STATUS[state])).find(status => status === picked) })
  return (
    <FilterBar
      active={search.status === '' ? 0 : 1}
      onClear={() => setFilter({ q: '', status: '' })}
      search={<SearchBox label={t('search')} value={search.q} onSearch={searchFor} isMain />}
      tools={
        <>
          <RefreshButton isBusy={isBusy} onRefresh={onRefresh} />
          <IconButton label={t('exportCsv')} icon={Download} onClick={() => void exportCodes(search, t)} />
          <ViewButton columns={columns} view={view} onChange={setView} />
        </>
      }
    >
      <Facet
        label={t('status')}
        options={STATES.map(state => ({ value: asStatus(STATUS[state]), label: t(state) }))}
        value={search.status}
        onChange={pickStatus}
      />
    </FilterBar>
  )
}

const asStatus = (status: 1 | 2 | 3): '1' | '2' | '3' => `${status}`

/** All codes of the current search as a file. */
async function exportCodes(filter: CodeFilter, t: Translate<keyof typeof text.zh>): Promise<void> {
  try {
    const codes = await fetchAllCodes({ q: filter.q, status: filter.status })
    const head = [
      t('id'),
      t('name'),
      t('key'),
      t('status'),
      t('quota'),
      t('created'),
      t('redeemed'),
      t('redeemedBy'),
    ]
    const lines = codes.map(code => [
      code.id,
      code.name,
      code.key,
      t(stateOf(code), { status: code.status }),
      code.quota,
      formatDateTime(code.created_time),
      code.redeemed_time > 0 ? formatDateTime(code.redeemed_time) : '',
      code.used_user_id > 0 ? code.used_user_id : '',
    ])
    downloadText('redemption-codes.csv', toCsv([head, ...lines]), 'text/csv')
    if (codes.length >= EXPORT_MAX) toast('warning', t('exportTooMany', { count: EXPORT_MAX }))
  } catch (error) {
    toast('error', errorText(error))
  }
}
