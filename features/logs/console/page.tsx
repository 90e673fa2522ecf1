import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, Eye, EyeOff, Pause, Play } from 'lucide-react'
import { Suspense, useCallback, useMemo } from 'react'
import { useAppText } from '#console/app/app-text.ts'
import { formatDateTime, formatNumber, nowSeconds } from '#console/app/format/format.tsx'
import { downloadFile } from '#console/app/list/csv.ts'
import {
  ListPagination,
  useClampedPage,
  usePrefetchedPage,
  useTableView,
} from '#console/app/list/list-page.tsx'
import { toggleMask, useIsMasked } from '#console/app/preferences/privacy.tsx'
import { useShortcut } from '#console/app/shell/shortcuts.ts'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { classes } from '#console/ui/class-names.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { useMedia } from '#console/ui/use-media.ts'
import { LOG_EXPORT_ROWS_MAX } from '../contract/log-export.ts'
import { logColumns } from './columns.tsx'
import { LogFilters } from './filters.tsx'
import { fetchCsv, rowsQuery } from './queries.ts'
import { LogTable } from './table.tsx'
import { useScreenText } from './text.ts'
import { LogTotals } from './totals.tsx'
import { type LogUrl, useLogView } from './view.ts'

const histogram = lazyPart(async () => (await import('./histogram.tsx')).LogHistogram)
const sheet = lazyPart(async () => (await import('./sheet/sheet.tsx')).LogSheet)

/** From this width on, the sheet opens beside the table instead of covering it. */
const SHEET_BESIDE_TABLE = '(min-width: 1440px)'

export function LogPage() {
  const t = useScreenText()
  const language = useLanguage()
  const client = useQueryClient()
  const url = useLogView()
  const { search, page, size, setPage, isAdmin, view, refresh } = url
  const rows = useQuery(rowsQuery(view, page, size))
  const [tableView, setTableView] = useTableView(isAdmin ? 'log-admin' : 'log')
  const isBeside = useMedia(SHEET_BESIDE_TABLE)
  const columns = useMemo(() => logColumns(language, isAdmin), [language, isAdmin])
  const { items = [], total } = rows.data ?? {}
  const refreshAll = useCallback(() => {
    refresh()
    void client.invalidateQueries({ queryKey: ['log'] })
  }, [client, refresh])
  const hasNext = page * size < (total ?? 0)
  const isSettled = view.pollMs === false && !rows.isPlaceholderData
  useClampedPage({ page, size, setPage, total })
  usePrefetchedPage(hasNext && isSettled ? rowsQuery(view, page + 1, size) : undefined)
  useLogShortcuts({ page, hasNext, onPage: setPage, onRefresh: refreshAll })

  return (
    <div className={classes(search.row !== '' && isBeside && 'pr-138')}>
      <PageHeader title={t('title')} count={total === undefined ? undefined : formatNumber(total, language)}>
        <LogActions url={url} total={total} />
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
          <sheet.Part id={Number(search.row)} entries={items} isAdmin={isAdmin} isBeside={isBeside} />
        )}
      </Suspense>
    </div>
  )
}

interface LogShortcuts {
  readonly page: number
  readonly hasNext: boolean
  readonly onPage: (page: number) => void
  readonly onRefresh: () => void
}

/** The list shortcuts that apply to a log: refreshing and paging, but no key for a new entry. */
function useLogShortcuts({ page, hasNext, onPage, onRefresh }: LogShortcuts): void {
  const t = useAppText()
  const kit = useKitText()
  const previous = useCallback(() => page > 1 && onPage(page - 1), [page, onPage])
  const next = useCallback(() => hasNext && onPage(page + 1), [page, hasNext, onPage])
  useShortcut('r', t('refreshPage'), onRefresh)
  useShortcut('[', kit('previousPage'), previous)
  useShortcut(']', kit('nextPage'), next)
}

interface LogActionsProps {
  readonly url: LogUrl
  readonly total: number | undefined
}

/** The page actions: masking amounts and usernames, the live log, and the CSV export. */
function LogActions({ url, total = 0 }: LogActionsProps) {
  const t = useScreenText()
  const language = useLanguage()
  const isMasked = useIsMasked()
  const { search, set, view } = url
  const isLive = search.live === '1'
  const csv = useMutation({
    mutationFn: () => fetchCsv(view),
    onSuccess: file => {
      downloadFile(`log ${formatDateTime(nowSeconds())}.csv`, file)
      if (total > LOG_EXPORT_ROWS_MAX)
        toast('warning', t('exportCapped', { count: formatNumber(LOG_EXPORT_ROWS_MAX, language) }))
    },
  })
  return (
    <>
      <IconButton
        label={isMasked ? t('showAmounts') : t('hideAmounts')}
        icon={isMasked ? EyeOff : Eye}
        aria-pressed={isMasked}
        onClick={toggleMask}
      />
      <Button
        icon={isLive ? Pause : Play}
        aria-pressed={isLive}
        className={classes(isLive && 'border-primary bg-selected text-accent')}
        onClick={() => set({ live: isLive ? '' : '1', ...(isLive ? {} : { p: 1 }) })}
      >
        {isLive ? t('pause') : t('live')}
      </Button>
      <Button icon={Download} isBusy={csv.isPending} onClick={() => csv.mutate()}>
        {t('export')}
      </Button>
    </>
  )
}
