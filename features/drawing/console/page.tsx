import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Image } from 'lucide-react'
import { useCallback } from 'react'
import { useStatus } from '#console/app/api/status.ts'
import { ListPage, ListTable, useListPages, useListSearchParams } from '#console/app/list/list-page.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { useTimeRange } from '#console/app/time/range-filter.tsx'
import { Banner, EmptyState, NoResults } from '#console/ui/feedback/feedback.tsx'
import type { Drawing } from '../contract.ts'
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
  const url = useListSearchParams(DrawingSearch)
  const { search, size, setFilter } = url
  const isAdmin = hasRole(useUser(), 'admin')
  const range = useTimeRange(search, '30d')
  const queryOf = (p: number) => drawingsQuery({ search: { ...search, p }, span: range.span, size, isAdmin })
  const list = useQuery(queryOf(url.page))
  const { rows, total } = list.data ?? {}
  const table = isAdmin ? 'drawings-admin' : 'drawings'
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
    <ListPage
      title={t('title')}
      notice={isAdmin && <CallbacksOffNotice />}
      toolbar={
        <DrawingFilters
          url={url}
          range={range}
          isAdmin={isAdmin}
          columns={columns}
          table={table}
          isBusy={list.isFetching}
          onRefresh={refresh}
        />
      }
      url={url}
      list={list}
      onRefresh={refresh}
    >
      {search.view === 'gallery' && rows && rows.length > 0 ? (
        <Gallery rows={rows} />
      ) : (
        <ListTable
          table={table}
          label={t('title')}
          columns={columns}
          rows={rows}
          rowId={rowId}
          rowName={rowName}
          card={card}
          isRefreshing={list.isFetching && list.isPlaceholderData}
          empty={empty}
        />
      )}
    </ListPage>
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
