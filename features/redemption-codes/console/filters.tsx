import { useCallback } from 'react'
import { formatDateTime } from '#console/app/format/format.tsx'
import type { CsvExport } from '#console/app/list/csv.ts'
import { type ListSearchParams, ListTools } from '#console/app/list/list-page.tsx'
import { Facet, FilterBar, SearchBox } from '#console/ui/data/filter/filters.tsx'
import { REDEMPTION_STATUS } from '#contract/enums.ts'
import type { Redemption } from '../contract.ts'
import { codeStatus } from './code.ts'
import { type CodeFilter, fetchCodes } from './queries.ts'
import type { RedemptionSearch } from './search-params.ts'
import { useCodeColumns } from './table.tsx'
import { type ScreenTranslate, useScreenText } from './text.ts'

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
        <ListTools
          table="redemptions"
          columns={columns}
          isBusy={isBusy}
          onRefresh={onRefresh}
          csv={codesCsv(search, t)}
        />
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

/** The export of all codes that match the filters. */
const codesCsv = (filter: CodeFilter, t: ScreenTranslate): CsvExport<Redemption> => ({
  label: t('exportCsv'),
  fileName: 'redemption-codes.csv',
  columns: [
    [t('id'), code => code.id],
    [t('name'), code => code.name],
    [t('key'), code => code.key],
    [t('status'), code => t(codeStatus(code), { status: code.status })],
    [t('quota'), code => code.quota],
    [t('created'), code => formatDateTime(code.created_time)],
    [t('redeemed'), code => (code.redeemed_time > 0 ? formatDateTime(code.redeemed_time) : '')],
    [t('redeemedBy'), code => (code.used_user_id > 0 ? code.used_user_id : '')],
  ],
  fetchPage: async (page, size) => (await fetchCodes(filter, page, size)).rows,
  tooMany: count => t('exportTooMany', { count }),
})
