import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useCallback } from 'react'
import { errorText } from '../../app/api/call.ts'
import { downloadText, toCsv } from '../../app/list/csv.ts'
import type { ListSearchParams } from '../../app/list/list-search-params.ts'
import { useTableView } from '../../app/list/table-view.ts'
import { IconButton } from '../../ui/buttons/buttons.tsx'
import { Facet, FilterBar, RefreshButton, SearchBox } from '../../ui/data/filter/filters.tsx'
import { ViewButton } from '../../ui/data/table/view-button.tsx'
import { toast } from '../../ui/overlays/messages.tsx'
import type { Translate } from '../../ui/text/text.ts'
import { useUserColumns } from './columns.tsx'
import { EXPORT_MAX, fetchAllUsers, groupsQuery, type UserFilter } from './queries.ts'
import { UserSearch } from './search-params.ts'
import { type text, useScreenText } from './text.ts'
import { roleName, userStatus } from './user.ts'

const ROLES = { 1: 'roleUser', 10: 'roleAdmin', 100: 'roleRoot' } as const
const STATUSES = { 1: 'enabled', 2: 'banned', '-1': 'deregistered' } as const

interface UsersFiltersProps {
  readonly url: ListSearchParams<typeof UserSearch>
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

export function UsersFilters({ url, isBusy, onRefresh }: UsersFiltersProps) {
  const t = useScreenText()
  const { search, setFilter } = url
  const searchFor = useCallback((q: string) => setFilter({ q }), [setFilter])
  const [view, setView] = useTableView('users')
  const columns = useUserColumns()
  const { data: groups = [] } = useQuery(groupsQuery)
  const { role, status } = UserSearch.shape
  return (
    <FilterBar
      active={[search.group, search.role, search.status].filter(value => value !== '').length}
      onClear={() => setFilter({ group: '', role: '', status: '' })}
      search={
        <SearchBox
          label={t('search')}
          value={search.q}
          onSearch={searchFor}
          isMain
          className="w-full sm:w-72"
        />
      }
      tools={
        <>
          <RefreshButton isBusy={isBusy} onRefresh={onRefresh} />
          <IconButton label={t('exportCsv')} icon={Download} onClick={() => void exportUsers(search, t)} />
          <ViewButton columns={columns} view={view} onChange={setView} />
        </>
      }
    >
      <Facet
        label={t('group')}
        options={groups.map(group => ({ value: group, label: group }))}
        value={search.group}
        onChange={group => setFilter({ group })}
      />
      <Facet
        label={t('role')}
        options={Object.entries(ROLES).map(([value, key]) => ({ value, label: t(key) }))}
        value={search.role}
        onChange={picked => setFilter({ role: role.parse(picked) })}
      />
      <Facet
        label={t('status')}
        options={Object.entries(STATUSES).map(([value, key]) => ({ value, label: t(key) }))}
        value={search.status}
        onChange={picked => setFilter({ status: status.parse(picked) })}
      />
    </FilterBar>
  )
}

/** Downloads all users that match the filters as CSV. */
async function exportUsers(filter: UserFilter, t: Translate<keyof typeof text.zh>): Promise<void> {
  try {
    const users = await fetchAllUsers(filter)
    const keys = [
      'id',
      'username',
      'display_name',
      'email',
      'group',
      'balance',
      'used',
      'requests',
      'role',
      'status',
    ] as const
    const lines = users.map(user => [
      user.id,
      user.username,
      user.display_name,
      user.email,
      user.group,
      user.quota,
      user.used_quota,
      user.request_count,
      t(roleName(user), { role: user.role }),
      t(userStatus(user)),
    ])
    downloadText('users.csv', toCsv([keys.map(key => t(key)), ...lines]), 'text/csv')
    if (users.length >= EXPORT_MAX) toast('warning', t('exportTooMany', { count: EXPORT_MAX }))
  } catch (error) {
    toast('error', errorText(error))
  }
}
