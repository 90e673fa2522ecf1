import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { Suspense, useCallback, useMemo } from 'react'
import { ListPager, useListPages } from '../../app/list-pages.tsx'
import { useListUrl } from '../../app/list-url.ts'
import { LoadError } from '../../app/load-error.tsx'
import { formatNumber } from '../../app/money.ts'
import { Button } from '../../ui/button.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { useLanguage, useText } from '../../ui/text.ts'
import { useOpenSheet, usePlace } from './place.ts'
import { usersQuery } from './queries.ts'
import { UserSearch } from './search.ts'
import { text } from './text.ts'
import { UsersFilters } from './users-filters.tsx'
import { UsersTable } from './users-table.tsx'

const sheet = lazyPart(async () => (await import('./user-sheet.tsx')).UserSheet)

export function UserScreen() {
  const t = useText(text)
  const language = useLanguage()
  const url = useListUrl(UserSearch)
  const place = usePlace()
  const open = useOpenSheet()
  const { q, group, role, status, sort } = url.search
  const filter = useMemo(() => ({ q, group, role, status, sort }), [q, group, role, status, sort])
  const list = useQuery(usersQuery(filter, url.page, url.size))
  const { rows, total } = list.data ?? {}
  const refresh = useCallback(() => void list.refetch(), [list.refetch])
  useListPages({
    url,
    total,
    isPlaceholder: list.isPlaceholderData,
    queryOf: page => usersQuery(filter, page, url.size),
    onRefresh: refresh,
    onNew: place.add,
  })
  return (
    <>
      <PageHeader title={t('title')} count={total === undefined ? undefined : formatNumber(total, language)}>
        <Button
          look="primary"
          icon={Plus}
          onPointerEnter={sheet.preload}
          onFocus={sheet.preload}
          onClick={place.add}
        >
          {t('add')}
        </Button>
      </PageHeader>
      <UsersFilters url={url} isBusy={list.isFetching} onRefresh={refresh} />
      {list.error && <LoadError error={list.error} isBusy={list.isFetching} onRetry={refresh} />}
      {(rows || !list.error) && (
        <UsersTable
          url={url}
          rows={rows}
          isRefreshing={list.isFetching && rows !== undefined}
          openId={open?.mode === 'edit' ? String(open.id) : undefined}
          onNew={place.add}
        />
      )}
      <ListPager url={url} list={list.data} />
      <Suspense fallback={null}>{open && <sheet.Part open={open} rows={rows ?? []} />}</Suspense>
    </>
  )
}
