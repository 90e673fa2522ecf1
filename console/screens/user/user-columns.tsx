import { useMemo } from 'react'
import type { User } from '#contract/users.ts'
import { formatNumber } from '../../app/money.ts'
import { MoneyText } from '../../app/money-text.tsx'
import { PrivateText } from '../../app/private-text.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Tag } from '../../ui/tag.tsx'
import { type Translate, useLanguage, useText } from '../../ui/text.ts'
import { text } from './text.ts'
import { InvitationsCell, NameCell, RoleCell, StandingCell } from './user-cells.tsx'

/** The columns of the list, named in the reader's language. */
export function useUserColumns(): ReadonlyArray<Column<User>> {
  const t = useText(text)
  const language = useLanguage()
  return useMemo(() => columnsOf(t, count => formatNumber(count, language)), [t, language])
}

const columnsOf = (
  t: Translate<keyof typeof text.zh>,
  format: (count: number) => string,
): ReadonlyArray<Column<User>> => [
  { id: 'username', header: t('username'), isFixed: true, cell: user => <NameCell user={user} /> },
  { id: 'id', header: t('id'), align: 'end', cell: user => user.id },
  { id: 'status', header: t('status'), cell: user => <StandingCell user={user} /> },
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
