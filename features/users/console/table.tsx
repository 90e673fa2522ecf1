import { Users } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { formatNumber, MoneyText, useMoney } from '#console/app/format/format.tsx'
import { type ListSearchParams, ListTable } from '#console/app/list/list-page.tsx'
import { UserLink } from '#console/app/list/record-link.tsx'
import { PrivateText } from '#console/app/preferences/privacy.tsx'
import { useUser } from '#console/app/session/session.ts'
import { copyText } from '#console/ui/buttons/buttons.tsx'
import { type BadgeMark, StatusBadge, Tag, type Tone } from '#console/ui/data/badges.tsx'
import {
  type Column,
  type RowCard,
  type Selection,
  type Sort,
  STATUS_WIDTH,
} from '#console/ui/data/table/column.ts'
import { EmptyList, NoResults } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { User } from '#contract/entities/user.ts'
import type { UserAction } from '../contract.ts'
import { UserRowActions, useUserActions } from './actions.tsx'
import { UserSearch, useSheetNavigation } from './search-params.ts'
import { type ScreenTranslate, useScreenText } from './text.ts'
import { isDeregistered, type RoleName, roleName, type UserStatus, userStatus } from './user.ts'

interface UsersTableProps {
  readonly url: ListSearchParams<typeof UserSearch>
  readonly rows: readonly User[] | undefined
  readonly isRefreshing: boolean
  readonly selection: Selection
  readonly openId: string | undefined
  readonly onNew: () => void
}

export function UsersTable({ url, rows, isRefreshing, selection, openId, onNew }: UsersTableProps) {
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
      selection={selection}
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

/** The columns of the user list, headed in the current language. */
export function useUserColumns(): ReadonlyArray<Column<User>> {
  const t = useScreenText()
  const language = useLanguage()
  return useMemo(() => userColumns(t, count => formatNumber(count, language)), [t, language])
}

const userColumns = (t: ScreenTranslate, format: (count: number) => string): ReadonlyArray<Column<User>> => [
  { id: 'username', header: t('username'), isFixed: true, cell: user => <NameCell user={user} /> },
  { id: 'id', header: t('id'), align: 'end', cell: user => user.id },
  { id: 'status', header: t('status'), width: STATUS_WIDTH, cell: user => <StatusCell user={user} /> },
  {
    id: 'balance',
    header: t('balance'),
    align: 'end',
    sortKey: 'quota',
    cell: user => <MoneyText quota={user.quota} />,
  },
  {
    id: 'used',
    header: t('used'),
    align: 'end',
    sortKey: 'used_quota',
    cell: user => <MoneyText quota={user.used_quota} />,
  },
  { id: 'group', header: t('group'), isWide: true, cell: user => <Tag hasSwatch>{user.group}</Tag> },
  { id: 'role', header: t('role'), isWide: true, cell: user => <RoleCell user={user} /> },
  {
    id: 'requests',
    header: t('requests'),
    isWide: true,
    align: 'end',
    cell: user => format(user.request_count),
  },
  {
    id: 'invitations',
    header: t('invitations'),
    isWide: true,
    cell: user => <InvitationsCell user={user} />,
  },
  {
    id: 'email',
    header: t('email'),
    isExtra: true,
    cell: user => (user.email === '' ? '' : <PrivateText>{user.email}</PrivateText>),
  },
]

const STATUS_BADGES: Readonly<Record<UserStatus, readonly [Tone, BadgeMark]>> = {
  enabled: ['success', 'filled'],
  banned: ['danger', 'cross'],
  deregistered: ['neutral', 'hollow'],
  unknown: ['unknown', 'none'],
}

const ROLE_TONES: Readonly<Record<RoleName, Tone>> = {
  roleUser: 'neutral',
  roleAdmin: 'info',
  roleRoot: 'warning',
  roleOrganization: 'neutral',
  roleUnknown: 'unknown',
}

interface UserProps {
  readonly user: User
}

/** The username, which opens the sheet, and the display name below it where it differs. */
export function NameCell({ user }: UserProps) {
  const t = useScreenText()
  const self = useUser()
  const { id, username, display_name: displayName } = user
  const hasDisplayName = displayName !== '' && displayName !== username
  return (
    <span className="grid max-w-56 min-w-32">
      <span className="flex min-w-0 items-baseline gap-1.5">
        <UserLink id={id} keepsSearch className="min-w-0 truncate touch-line font-medium">
          <PrivateText>{username}</PrivateText>
        </UserLink>
        {self?.id === id && <span className="shrink-0 text-caption text-subtle">{t('you')}</span>}
      </span>
      {hasDisplayName && (
        <span className="truncate text-caption text-muted">
          <PrivateText>{displayName}</PrivateText>
        </span>
      )}
    </span>
  )
}

export function RoleCell({ user }: UserProps) {
  const t = useScreenText()
  const role = roleName(user)
  return (
    <StatusBadge tone={ROLE_TONES[role]} mark="none">
      {t(role, { role: user.role })}
    </StatusBadge>
  )
}

export function StatusCell({ user }: UserProps) {
  const t = useScreenText()
  const status = userStatus(user)
  const [tone, mark] = STATUS_BADGES[status]
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(status)}
    </StatusBadge>
  )
}

/** The users invited and the reward earned, and the inviter. Parts that do not apply are left out. */
export function InvitationsCell({ user }: UserProps) {
  const t = useScreenText()
  const language = useLanguage()
  const { money } = useMoney()
  const { aff_count: count, aff_history_quota: earned, inviter_id: inviter } = user
  if (count === 0 && earned === 0 && inviter === 0) return <span className="text-subtle">-</span>
  return (
    <span className="grid text-caption text-muted tabular">
      {(count > 0 || earned !== 0) && (
        <span className="whitespace-nowrap">
          {`${t('invited', { count: formatNumber(count, language) })} · ${t('earned', { amount: money(earned) })}`}
        </span>
      )}
      {inviter !== 0 && (
        <UserLink
          id={inviter}
          keepsSearch
          label={t('openInviter', { id: inviter })}
          className="justify-self-start text-accent"
        >
          {t('invitedBy', { id: inviter })}
        </UserLink>
      )}
    </span>
  )
}
