import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Image, Images, List } from 'lucide-react'
import { useCallback } from 'react'
import { useStatus } from '#console/app/api/status.ts'
import { useListSearchParams } from '#console/app/list/list-page.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { TaskListPage } from '#console/app/task-list/task-page.tsx'
import { useTimeRange } from '#console/app/time/range-filter.tsx'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import type { Drawing } from '../contract.ts'
import { Gallery, useDrawingTable } from './columns.tsx'
import { ACTIONS, STATUSES, statusBadge } from './drawing.ts'
import { drawingsQuery } from './queries.ts'
import { DrawingSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

const NO_FILTERS = { mj_id: '', channel: '', action: '', status: '' } as const
const rowName = (drawing: Drawing): string => drawing.mj_id || `#${drawing.id}`

export function DrawingsPage() {
  const t = useScreenText()
  const url = useListSearchParams(DrawingSearch)
  const { search, size, set, setFilter } = url
  const isAdmin = hasRole(useUser(), 'admin')
  const range = useTimeRange(search, '30d')
  const queryOf = (p: number) => drawingsQuery({ search: { ...search, p }, span: range.span, size, isAdmin })
  const list = useQuery(queryOf(url.page))
  const rows = list.data?.rows ?? []
  const { status, ...table } = useDrawingTable(isAdmin)
  const isGallery = search.view === 'gallery'
  const searchId = useCallback((mj_id: string) => setFilter({ mj_id }), [setFilter])
  return (
    <TaskListPage
      {...{ t, url, range, list, queryOf, isAdmin, rowName }}
      {...table}
      icon={Image}
      id={search.mj_id}
      onId={searchId}
      actions={ACTIONS.map(value => ({ value, label: t(value) }))}
      statuses={STATUSES.map(value => ({ value, label: t(statusBadge(value)[0]) }))}
      onClear={() => setFilter(NO_FILTERS)}
      table={isAdmin ? 'drawings-admin' : 'drawings'}
      notice={isAdmin && <CallbacksOffNotice />}
      tools={
        <IconButton
          label={t(isGallery ? 'list' : 'gallery')}
          icon={isGallery ? List : Images}
          aria-pressed={isGallery}
          onClick={() => set({ view: isGallery ? 'list' : 'gallery' })}
        />
      }
    >
      {isGallery && rows.length > 0 ? <Gallery rows={rows} status={status} /> : undefined}
    </TaskListPage>
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
