import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { CsvExport } from '#console/app/list/csv.ts'
import { type ListSearchParams, ListTools } from '#console/app/list/list-page.tsx'
import { Facet, FilterBar, SearchBox } from '#console/ui/data/filter/filters.tsx'
import type { User } from '#contract/entities/user.ts'
import { fetchUsers, groupsQuery, type UserFilter } from './queries.ts'
import { UserSearch } from './search-params.ts'
import { useUserColumns } from './table.tsx'
import { type ScreenTranslate, useScreenText } from './text.ts'
import { roleName, userStatus } from './user.ts'

const ROLES = { 1: 'roleUser', 10: 'roleAdmin', 100: 'roleRoot', organization: 'roleOrganization' } as const
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
        <ListTools
          table="users"
          columns={columns}
          isBusy={isBusy}
          onRefresh={onRefresh}
          csv={usersCsv(search, t)}
        />
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

/** The export of all users that match the filters. */
const usersCsv = (filter: UserFilter, t: ScreenTranslate): CsvExport<User> => ({
  label: t('exportCsv'),
  fileName: 'users.csv',
  columns: [
    [t('id'), user => user.id],
    [t('username'), user => user.username],
    [t('display_name'), user => user.display_name],
    [t('email'), user => user.email],
    [t('group'), user => user.group],
    [t('balance'), user => user.quota],
    [t('used'), user => user.used_quota],
    [t('requests'), user => user.request_count],
    [t('role'), user => t(roleName(user), { role: user.role })],
    [t('status'), user => t(userStatus(user))],
  ],
  fetchPage: async (page, size) => (await fetchUsers(filter, page, size)).rows,
  tooMany: count => t('exportTooMany', { count }),
})
