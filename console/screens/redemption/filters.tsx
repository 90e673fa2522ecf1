import { Download } from 'lucide-react'
import { useCallback } from 'react'
import { REDEMPTION_STATUS } from '#contract/enums.ts'
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
import { codeStatus } from './code.ts'
import { useCodeColumns } from './columns.tsx'
import { type CodeFilter, EXPORT_MAX, fetchAllCodes } from './queries.ts'
import type { RedemptionSearch } from './search-params.ts'
import { type text, useScreenText } from './text.ts'

const STATUSES = ['unused', 'disabled', 'used'] as const

interface CodesFiltersProps {
  readonly url: ListSearchParams<typeof RedemptionSearch>
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

export function CodesFilters({ url, isBusy, onRefresh }: CodesFiltersProps) {
  const t = useScreenText()
  const { search, setFilter } = url
  const searchFor = useCallback((q: string) => setFilter({ q }), [setFilter])
  const [view, setView] = useTableView('redemptions')
  const columns = useCodeColumns()
  const pickStatus = (picked: string) =>
    setFilter({
      status: STATUSES.map(state => statusParam(REDEMPTION_STATUS[state])).find(status => status === picked),
    })
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
        options={STATUSES.map(state => ({ value: statusParam(REDEMPTION_STATUS[state]), label: t(state) }))}
        value={search.status}
        onChange={pickStatus}
      />
    </FilterBar>
  )
}

const statusParam = (status: 1 | 2 | 3): '1' | '2' | '3' => `${status}`

/** Downloads all codes that match the filters as CSV. */
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
      t(codeStatus(code), { status: code.status }),
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
