import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { Suspense, useCallback, useMemo } from 'react'
import { LoadError } from '../../app/api/load-error.tsx'
import { formatNumber } from '../../app/format/format.tsx'
import { ListPagination, useListPages } from '../../app/list/list-pages.tsx'
import { useListSearchParams } from '../../app/list/list-search-params.ts'
import { Button } from '../../ui/buttons/buttons.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { PageHeader } from '../../ui/text/page-header.tsx'
import { useLanguage } from '../../ui/text/text.ts'
import { UsersFilters } from './filters.tsx'
import { usersQuery } from './queries.ts'
import { UserSearch, useOpenSheet, useSheetNavigation } from './search-params.ts'
import { UsersTable } from './table.tsx'
import { useScreenText } from './text.ts'

const sheet = lazyPart(async () => (await import('./sheet.tsx')).UserSheet)

export function UsersPage() {
  const t = useScreenText()
  const language = useLanguage()
  const url = useListSearchParams(UserSearch)
  const navigation = useSheetNavigation()
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
    onNew: navigation.openNew,
  })
  return (
    <>
      <PageHeader title={t('title')} count={total === undefined ? undefined : formatNumber(total, language)}>
        <Button
          variant="primary"
          icon={Plus}
          onPointerEnter={sheet.preload}
          onFocus={sheet.preload}
          onClick={navigation.openNew}
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
          onNew={navigation.openNew}
        />
      )}
      <ListPagination url={url} list={list.data} />
      <Suspense fallback={null}>{open && <sheet.Part open={open} rows={rows ?? []} />}</Suspense>
    </>
  )
}
