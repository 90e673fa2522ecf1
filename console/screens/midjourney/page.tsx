import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Image } from 'lucide-react'
import { useCallback } from 'react'
import type { Drawing } from '#contract/tasks.ts'
import { LoadError } from '../../app/api/load-error.tsx'
import { useStatus } from '../../app/api/status.ts'
import { formatNumber } from '../../app/format/format.tsx'
import { ListPagination, useListPages } from '../../app/list/list-pages.tsx'
import { useListSearchParams } from '../../app/list/list-search-params.ts'
import { useTableView } from '../../app/list/table-view.ts'
import { hasRole, useUser } from '../../app/session/session.ts'
import { useTimeRange } from '../../app/time/range-filter.tsx'
import { DataTable } from '../../ui/data/table/data-table.tsx'
import { Banner, EmptyState, NoResults } from '../../ui/feedback/feedback.tsx'
import { PageHeader } from '../../ui/text/page-header.tsx'
import { useLanguage } from '../../ui/text/text.ts'
import { Gallery, useDrawingCard, useDrawingColumns } from './columns.tsx'
import { DrawingFilters, NO_FILTERS } from './filters.tsx'
import { drawingsQuery } from './queries.ts'
import { DrawingSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

/** Drawings are created through the API only: the shortcut for a new record does nothing. */
const noNewRow = (): void => undefined
const rowId = (drawing: Drawing): string => String(drawing.id)
const rowName = (drawing: Drawing): string => drawing.mj_id || `#${drawing.id}`

export function DrawingsPage() {
  const t = useScreenText()
  const language = useLanguage()
  const url = useListSearchParams(DrawingSearch)
  const { search, size, setFilter } = url
  const isAdmin = hasRole(useUser(), 'admin')
  const range = useTimeRange(search, '30d')
  const queryOf = (p: number) => drawingsQuery({ search: { ...search, p }, span: range.span, size, isAdmin })
  const list = useQuery(queryOf(url.page))
  const { rows, total } = list.data ?? {}
  const [view, setView] = useTableView(isAdmin ? 'drawings-admin' : 'drawings')
  const columns = useDrawingColumns(isAdmin)
  const card = useDrawingCard()
  const refresh = useCallback(() => {
    range.refresh()
    void list.refetch()
  }, [range.refresh, list.refetch])
  const isPlaceholder = list.isPlaceholderData
  useListPages({ url, total, isPlaceholder, queryOf, onRefresh: refresh, onNew: noNewRow })
  const { mj_id, channel, action, status } = search
  const isFiltered = [mj_id, channel, action, status].some(value => value !== '')
  const empty = isFiltered ? (
    <NoResults
      title={t('noneFoundTitle')}
      text={t('noneFoundText')}
      clear={t('clear')}
      onClear={() => setFilter(NO_FILTERS)}
    />
  ) : (
    <EmptyState icon={Image} title={t('emptyTitle')} text={t('emptyText')} />
  )
  return (
    <>
      <PageHeader
        title={t('title')}
        count={total === undefined ? undefined : formatNumber(total, language)}
      />
      {isAdmin && <CallbacksOffNotice />}
      <DrawingFilters
        url={url}
        range={range}
        isAdmin={isAdmin}
        columns={columns}
        view={view}
        onView={setView}
        isBusy={list.isFetching}
        onRefresh={refresh}
      />
      {list.error && <LoadError error={list.error} isBusy={list.isFetching} onRetry={refresh} />}
      {search.view === 'gallery' && rows && rows.length > 0 ? (
        <Gallery rows={rows} />
      ) : (
        (rows || !list.error) && (
          <DataTable
            label={t('title')}
            columns={columns}
            rows={rows}
            rowId={rowId}
            rowName={rowName}
            card={card}
            view={view}
            isRefreshing={list.isFetching && list.isPlaceholderData}
            empty={empty}
          />
        )
      )}
      <ListPagination url={url} list={list.data} />
    </>
  )
}

/** Warns administrators that some clients rely on callbacks, which are turned off. */
function CallbacksOffNotice() {
  const t = useScreenText()
  const isRoot = hasRole(useUser(), 'root')
  const { mj_notify_enabled: isOn } = useStatus()
  if (isOn) return null
  return (
    <div className="mb-4">
      <Banner
        tone="info"
        action={
          isRoot && (
            <Link
              to="/setting"
              search={{ tab: 'operation', section: 'MjNotifyEnabled' }}
              className="rounded-control font-medium whitespace-nowrap underline underline-offset-2"
            >
              {t('openSettings')}
            </Link>
          )
        }
      >
        {t('notifyOff')}
      </Banner>
    </div>
  )
}
