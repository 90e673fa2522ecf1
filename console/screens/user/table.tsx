import { Users } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { UserAction } from '#contract/accounts/user-management.ts'
import type { User } from '#contract/accounts/users.ts'
import { MoneyText } from '../../app/format/format.tsx'
import { type ListSearchParams, ListTable } from '../../app/list/list-page.tsx'
import { copyText } from '../../ui/buttons/buttons.tsx'
import type { RowCard, Sort } from '../../ui/data/table/column.ts'
import { EmptyList, NoResults } from '../../ui/feedback/feedback.tsx'
import { toast } from '../../ui/overlays/messages.tsx'
import { UserRowActions, useUserActions } from './actions.tsx'
import { NameCell, RoleCell, StatusCell, useUserColumns } from './columns.tsx'
import { UserSearch, useSheetNavigation } from './search-params.ts'
import { useScreenText } from './text.ts'
import { isDeregistered } from './user.ts'

interface UsersTableProps {
  readonly url: ListSearchParams<typeof UserSearch>
  readonly rows: readonly User[] | undefined
  readonly isRefreshing: boolean
  readonly openId: string | undefined
  readonly onNew: () => void
}

export function UsersTable({ url, rows, isRefreshing, openId, onNew }: UsersTableProps) {
  const t = useScreenText()
  const navigation = useSheetNavigation()
  const columns = useUserColumns()
  const card = useUserCard()
  const { confirmAndRun, menuItems } = useUserActions()
  const open = useCallback((user: User) => navigation.open(user.id), [navigation])
  const runAction = useCallback(
    (user: User, action: UserAction) => void confirmAndRun(user, action),
    [confirmAndRun],
  )
  const actions = useCallback(
    (user: User) => <UserRowActions user={user} onOpen={open} onAction={runAction} menuItems={menuItems} />,
    [open, runAction, menuItems],
  )
  const copyId = async (user: User) => {
    const value = String(user.id)
    if (await copyText(value)) toast('success', t('copied', { value }))
  }
  const { search, setFilter } = url
  const isFiltered = [search.q, search.group, search.role, search.status].some(value => value !== '')
  const clear = () => setFilter({ q: '', group: '', role: '', status: '' })
  return (
    <ListTable
      table="users"
      label={t('title')}
      columns={columns}
      rows={rows}
      rowId={rowId}
      rowName={rowName}
      card={card}
      sort={parseSort(search.sort)}
      onSort={sort => setFilter({ sort: formatSort(sort) })}
      actions={actions}
      isMuted={isDeregistered}
      openId={openId}
      onOpen={open}
      rowKeys={{ e: open, c: user => void copyId(user), Delete: user => runAction(user, 'delete') }}
      isRefreshing={isRefreshing}
      empty={
        isFiltered ? (
          <NoResults
            title={t('noneFoundTitle')}
            text={t('noneFoundText')}
            clear={t('clearSearch')}
            onClear={clear}
          />
        ) : (
          <EmptyList
            icon={Users}
            title={t('emptyTitle')}
            text={t('emptyText')}
            add={t('add')}
            onAdd={onNew}
          />
        )
      }
    />
  )
}

const rowId = (user: User): string => String(user.id)
const rowName = (user: User): string => user.username

const parseSort = (sort: UserSearch['sort']): Sort | undefined =>
  sort === '' ? undefined : { key: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') }

const formatSort = (sort: Sort | undefined): UserSearch['sort'] =>
  UserSearch.shape.sort.parse(sort ? `${sort.isDescending ? '-' : ''}${sort.key}` : '')

function useUserCard(): RowCard<User> {
  const t = useScreenText()
  return useMemo(
    () => ({
      title: user => <NameCell user={user} />,
      subtitle: user => `#${user.id} · ${user.group}`,
      status: user => <StatusCell user={user} />,
      facts: user => [
        { label: t('balance'), value: <MoneyText quota={user.quota} /> },
        { label: t('used'), value: <MoneyText quota={user.used_quota} /> },
        { label: t('role'), value: <RoleCell user={user} /> },
      ],
    }),
    [t],
  )
}
