import { useQuery } from '@tanstack/react-query'
import { ClipboardList } from 'lucide-react'
import { Suspense, useCallback } from 'react'
import { ListPage, ListTable, useListPages, useListSearchParams } from '#console/app/list/list-page.tsx'
import { useTimeRange } from '#console/app/time/range-filter.tsx'
import { EmptyState, NoResults } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import type { AuditRow } from '../contract/audit-log.ts'
import { actorText, useAuditCard, useAuditColumns } from './columns.tsx'
import { AuditFilters } from './filters.tsx'
import { auditRowsQuery, toFilter } from './queries.ts'
import { AuditSearch, NO_FILTERS } from './search-params.ts'
import { useScreenText } from './text.ts'

const sheet = lazyPart(async () => (await import('./sheet.tsx')).AuditSheet)
const TABLE = 'audit-log'

/** Rows come from calls only: the shortcut for a new record does nothing. */
const noNewRow = (): void => undefined
const rowId = (row: AuditRow): string => String(row.id)

export function AuditPage() {
  const t = useScreenText()
  const url = useListSearchParams(AuditSearch)
  const { search, page, size, set, setFilter } = url
  const range = useTimeRange(search, '30d')
  const filter = toFilter(search, range.span)
  const list = useQuery(auditRowsQuery(filter, page, size))
  const { rows, total } = list.data ?? {}
  const columns = useAuditColumns()
  const card = useAuditCard()
  const open = useCallback((row: string) => set({ row }, { push: true }), [set])
  const close = useCallback(() => set({ row: '' }), [set])
  const openHistory = useCallback(
    (kind: string, target: string) => setFilter({ ...NO_FILTERS, kind, target, row: '' }),
    [setFilter],
  )
  const refresh = useCallback(() => {
    range.refresh()
    void list.refetch()
  }, [range.refresh, list.refetch])
  useListPages({
    url,
    total,
    isPlaceholder: list.isPlaceholderData,
    queryOf: p => auditRowsQuery(filter, p, size),
    onRefresh: refresh,
    onNew: noNewRow,
  })
  const { search: text, actor, kind, action } = search
  const isFiltered = [text, actor, kind, action].some(value => value !== '')
  const tools = { table: TABLE, columns, isBusy: list.isFetching, onRefresh: refresh }
  return (
    <>
      <ListPage
        title={t('title')}
        toolbar={<AuditFilters url={url} range={range} filter={filter} {...tools} />}
        url={url}
        list={list}
        onRefresh={refresh}
      >
        <ListTable
          table={TABLE}
          label={t('title')}
          columns={columns}
          rows={rows}
          rowId={rowId}
          rowName={row => `${actorText(row, t)}, ${row.action} #${row.id}`}
          card={card}
          openId={search.row}
          onOpen={row => open(rowId(row))}
          isRefreshing={list.isFetching && list.isPlaceholderData}
          empty={<NoRows isFiltered={isFiltered} onClear={() => setFilter(NO_FILTERS)} />}
        />
      </ListPage>
      <Suspense fallback={null}>
        {search.row !== '' && (
          <sheet.Part id={search.row} rows={rows} onOpen={open} onClose={close} onHistory={openHistory} />
        )}
      </Suspense>
    </>
  )
}

function NoRows({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  const t = useScreenText()
  return isFiltered ? (
    <NoResults title={t('noneFoundTitle')} text={t('noneFoundText')} clear={t('clear')} onClear={onClear} />
  ) : (
    <EmptyState icon={ClipboardList} title={t('emptyTitle')} text={t('emptyText')} />
  )
}
