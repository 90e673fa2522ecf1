import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { Suspense, useCallback, useMemo } from 'react'
import { ListPage, useListPages, useListSearchParams } from '#console/app/list/list-page.tsx'
import { useListSelection } from '#console/app/list/list-selection.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { UsersFilters } from './filters.tsx'
import { usersQuery } from './queries.ts'
import { UserSearch, useOpenSheet, usePersonId, useSheetNavigation } from './search-params.ts'
import { UsersTable } from './table.tsx'
import { useScreenText } from './text.ts'

const bulkBar = lazyPart(async () => (await import('./bulk-bar.tsx')).UsersBulkBar)
const person = lazyPart(async () => (await import('./person/page.tsx')).PersonPage)
const sheet = lazyPart(async () => (await import('./sheet.tsx')).UserSheet)

/** The list of users, or the page of one. */
export function UsersPage() {
  const personId = usePersonId()
  if (personId === undefined) return <UserList />
  return (
    <Suspense fallback={<Skeleton className="h-9 w-60" />}>
      <person.Part key={personId} id={personId} />
    </Suspense>
  )
}

function UserList() {
  const t = useScreenText()
  const url = useListSearchParams(UserSearch)
  const navigation = useSheetNavigation()
  const open = useOpenSheet()
  const { q, group, role, status, sort } = url.search
  const filter = useMemo(() => ({ q, group, role, status, sort }), [q, group, role, status, sort])
  const list = useQuery(usersQuery(filter, url.page, url.size))
  const { rows, total } = list.data ?? {}
  const pageIds = useMemo(() => rows?.map(user => String(user.id)), [rows])
  // Deregistered users stay as they are, so that nothing changes all of them.
  const selection = useListSelection({ pageIds, total: status === '-1' ? undefined : total, filter })
  const refresh = useCallback(() => void list.refetch(), [list.refetch])
  useListPages({
    url,
    total,
    isPlaceholder: list.isPlaceholderData,
    queryOf: page => usersQuery(filter, page, url.size),
    onRefresh: refresh,
    onNew: navigation.openNew,
  })
  return (
    <>
      <ListPage
        title={t('title')}
        actions={
          <Button
            variant="primary"
            icon={Plus}
            onPointerEnter={sheet.preload}
            onFocus={sheet.preload}
            onClick={navigation.openNew}
          >
            {t('add')}
          </Button>
        }
        toolbar={
          selection.count > 0 ? (
            <Suspense fallback={<div className="mb-3 h-11" />}>
              <bulkBar.Part
                filter={filter}
                selection={selection}
                onRecount={async () => (await list.refetch()).data?.total}
              />
            </Suspense>
          ) : (
            <UsersFilters url={url} isBusy={list.isFetching} onRefresh={refresh} />
          )
        }
        url={url}
        list={list}
        onRefresh={refresh}
      >
        <UsersTable
          url={url}
          rows={rows}
          isRefreshing={list.isFetching && rows !== undefined}
          selection={{ ids: selection.ids, onChange: selection.select }}
          openId={open?.mode === 'edit' ? String(open.id) : undefined}
          onNew={navigation.openNew}
        />
      </ListPage>
      <Suspense fallback={null}>{open && <sheet.Part open={open} rows={rows ?? []} />}</Suspense>
    </>
  )
}
