import { Users } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { UserAction } from '#contract/user-calls.ts'
import type { User } from '#contract/users.ts'
import type { ListUrl } from '../../app/list-url.ts'
import { MoneyText } from '../../app/money-text.tsx'
import { useTableView } from '../../app/table-state.ts'
import { copyText } from '../../ui/copy-text.ts'
import { NoneFound } from '../../ui/none-found.tsx'
import { NoneYet } from '../../ui/none-yet.tsx'
import type { RowCard, Sort } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { usePlace } from './place.ts'
import { UserSearch } from './search.ts'
import { isGone } from './standing.ts'
import { text } from './text.ts'
import { useUserActions } from './use-user-actions.tsx'
import { NameCell, RoleCell, StandingCell } from './user-cells.tsx'
import { useUserColumns } from './user-columns.tsx'
import { UserRowActions } from './user-row-actions.tsx'

interface UsersTableProps {
  readonly url: ListUrl<typeof UserSearch>
  readonly rows: readonly User[] | undefined
  readonly isRefreshing: boolean
  readonly openId: string | undefined
  readonly onNew: () => void
}

export function UsersTable({ url, rows, isRefreshing, openId, onNew }: UsersTableProps) {
  const t = useText(text)
  const place = usePlace()
  const [view] = useTableView('users')
  const columns = useUserColumns()
  const card = useUserCard()
  const { ask, menuOf } = useUserActions()
  const open = useCallback((user: User) => place.edit(user.id), [place])
  const act = useCallback((user: User, action: UserAction) => void ask(user, action), [ask])
  const actions = useCallback(
    (user: User) => <UserRowActions user={user} onOpen={open} onAct={act} menuOf={menuOf} />,
    [open, act, menuOf],
  )
  const copyId = async (user: User) => {
    const what = String(user.id)
    if (await copyText(what)) toast('success', t('copied', { what }))
  }
  const { search, setFilter } = url
  const isFiltered = [search.q, search.group, search.role, search.status].some(value => value !== '')
  const clear = () => setFilter({ q: '', group: '', role: '', status: '' })
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={rows}
      rowId={idOf}
      rowName={nameOf}
      card={card}
      view={view}
      sort={sortOf(search.sort)}
      onSort={sort => setFilter({ sort: sortText(sort) })}
      actions={actions}
      isMuted={isGone}
      openId={openId}
      onOpen={open}
      rowKeys={{ e: open, c: user => void copyId(user), Delete: user => act(user, 'delete') }}
      isRefreshing={isRefreshing}
      empty={
        isFiltered ? (
          <NoneFound
            title={t('noneFoundTitle')}
            text={t('noneFoundText')}
            clear={t('clearSearch')}
            onClear={clear}
          />
        ) : (
          <NoneYet icon={Users} title={t('emptyTitle')} text={t('emptyText')} add={t('add')} onAdd={onNew} />
        )
      }
    />
  )
}

const idOf = (user: User): string => String(user.id)
const nameOf = (user: User): string => user.username

const sortOf = (sort: UserSearch['sort']): Sort | undefined =>
  sort === '' ? undefined : { key: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') }

const sortText = (sort: Sort | undefined): UserSearch['sort'] =>
  UserSearch.shape.sort.parse(sort ? `${sort.isDescending ? '-' : ''}${sort.key}` : '')

function useUserCard(): RowCard<User> {
  const t = useText(text)
  return useMemo(
    () => ({
      title: user => <NameCell user={user} />,
      subtitle: user => `#${user.id} · ${user.group}`,
      status: user => <StandingCell user={user} />,
      facts: user => [
        { label: t('balance'), value: <MoneyText quota={user.quota} /> },
        { label: t('used'), value: <MoneyText quota={user.used_quota} /> },
        { label: t('role'), value: <RoleCell user={user} /> },
      ],
    }),
    [t],
  )
}
