import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useCallback, useMemo } from 'react'
import { ListPagination, useClampedPage, usePrefetchedPage } from '../../app/list/list-pages.tsx'
import { formatNumber } from '../../app/money/money.tsx'
import { useTableView } from '../../app/list/table-view.ts'
import { classes } from '../../ui/class-names.ts'
import { lazyPart } from '../../ui/lazy-part.ts'
import { PageHeader } from '../../ui/text/page-header.tsx'
import { useLanguage, useText } from '../../ui/text/text.ts'
import { useMedia } from '../../ui/use-media.ts'
import { logColumns } from './columns.tsx'
import { LogFilters } from './log-filters.tsx'
import { LogTable } from './log-table.tsx'
import { LogTools } from './log-tools.tsx'
import { LogTotals } from './log-totals.tsx'
import { rowsQuery } from './queries.ts'
import { text } from './text.ts'
import { useLogShortcuts } from './use-log-shortcuts.ts'
import { useLogView } from './use-log-view.ts'

const histogram = lazyPart(async () => (await import('./log-histogram.tsx')).LogHistogram)
const sheet = lazyPart(async () => (await import('./sheet/log-sheet.tsx')).LogSheet)
/** From here on the sheet stands beside the table instead of over it. */
const SHEET_BESIDE_TABLE = '(min-width: 1440px)'

export function LogPage() {
  const t = useText(text)
  const language = useLanguage()
  const client = useQueryClient()
  const url = useLogView()
  const { search, page, size, setPage, isAdmin, view, refresh } = url
  const rows = useQuery(rowsQuery(view, page, size))
  const [tableView, setTableView] = useTableView(isAdmin ? 'log-admin' : 'log')
  const hasRoom = useMedia(SHEET_BESIDE_TABLE)
  const columns = useMemo(() => logColumns(language, isAdmin), [language, isAdmin])
  const { items = [], total } = rows.data ?? {}
  useClampedPage({ page, size, setPage, total })
  const refreshAll = useCallback(() => {
    refresh()
    void client.invalidateQueries({ queryKey: ['log'] })
  }, [client, refresh])
  const hasNext = page * size < (total ?? 0)
  const isSettled = view.pollMs === false && !rows.isPlaceholderData
  usePrefetchedPage(hasNext && isSettled ? rowsQuery(view, page + 1, size) : undefined)
  useLogShortcuts({
    page,
    hasNext,
    onPage: setPage,
    onRefresh: refreshAll,
  })

  return (
    <div className={classes(search.row !== '' && hasRoom && 'pr-138')}>
      <PageHeader title={t('title')} count={total === undefined ? undefined : formatNumber(total, language)}>
        <LogTools url={url} total={total} />
      </PageHeader>
      <LogTotals view={view} isErrorShownBelow={rows.error !== null} />
      <LogFilters
        url={url}
        columns={columns}
        tableView={tableView}
        onTableView={setTableView}
        isBusy={rows.isFetching && view.pollMs === false}
        onRefresh={refreshAll}
      />
      <Suspense fallback={<div className="mb-4 h-45 rounded-card border border-line bg-surface" />}>
        <histogram.Part url={url} />
      </Suspense>
      <LogTable url={url} rows={rows} columns={columns} view={tableView} onRetry={refreshAll} />
      <ListPagination url={url} list={rows.data && { rows: items, total }} />
      <Suspense fallback={null}>
        {search.row !== '' && (
          <sheet.Part id={Number(search.row)} entries={items} isAdmin={isAdmin} isBeside={hasRoom} />
        )}
      </Suspense>
    </div>
  )
}
