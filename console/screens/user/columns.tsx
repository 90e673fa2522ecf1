import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { User } from '#contract/accounts/users.ts'
import { formatNumber, MoneyText, useMoney } from '../../app/format/format.tsx'
import { PrivateText } from '../../app/preferences/privacy.tsx'
import { useUser } from '../../app/session/session.ts'
import { type BadgeMark, StatusBadge, Tag, type Tone } from '../../ui/data/badges.tsx'
import type { Column } from '../../ui/data/table/column.ts'
import { type Translate, useLanguage } from '../../ui/text/text.ts'
import { type text, useScreenText } from './text.ts'
import { type RoleName, roleName, type UserStatus, userStatus } from './user.ts'

/** The columns of the user list, headed in the current language. */
export function useUserColumns(): ReadonlyArray<Column<User>> {
  const t = useScreenText()
  const language = useLanguage()
  return useMemo(() => userColumns(t, count => formatNumber(count, language)), [t, language])
}

const userColumns = (
  t: Translate<keyof typeof text.zh>,
  format: (count: number) => string,
): ReadonlyArray<Column<User>> => [
  { id: 'username', header: t('username'), isFixed: true, cell: user => <NameCell user={user} /> },
  { id: 'id', header: t('id'), align: 'end', cell: user => user.id },
  { id: 'status', header: t('status'), cell: user => <StatusCell user={user} /> },
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
  { id: 'group', header: t('group'), cell: user => <Tag hasSwatch>{user.group}</Tag> },
  { id: 'role', header: t('role'), cell: user => <RoleCell user={user} /> },
  { id: 'requests', header: t('requests'), align: 'end', cell: user => format(user.request_count) },
  { id: 'invitations', header: t('invitations'), cell: user => <InvitationsCell user={user} /> },
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
        <Link
          to={`/user/edit/${id}`}
          search={(before: object) => before}
          className="min-w-0 truncate touch-line rounded-control font-medium hover:text-accent hover:underline underline-offset-2"
        >
          <PrivateText>{username}</PrivateText>
        </Link>
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
        <Link
          to={`/user/edit/${inviter}`}
          search={(before: object) => before}
          aria-label={t('openInviter', { id: inviter })}
          className="justify-self-start rounded-control text-accent hover:underline underline-offset-2"
        >
          {t('invitedBy', { id: inviter })}
        </Link>
      )}
    </span>
  )
}
