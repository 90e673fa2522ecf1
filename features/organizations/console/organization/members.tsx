import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { nowSeconds, TimeText } from '#console/app/format/format.tsx'
import { ListSection, usePages } from '#console/app/list/list-section.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { type Column, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { TextInput } from '#console/ui/forms/fields.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import type { Invitation, Member } from '../../contract/members.ts'
import type { Organization } from '../../contract/organizations.ts'
import { membersQuery } from '../queries.ts'
import { useOrganizationText } from '../text.ts'
import { useCapCell } from './cap.tsx'
import type { Made } from './made-dialog.tsx'
import { MemberActions } from './member-actions.tsx'
import { useScreenText } from './text.ts'

const addDialog = lazyPart(async () => (await import('./add-dialog.tsx')).AddDialog)
const madeDialog = lazyPart(async () => (await import('./made-dialog.tsx')).MadeDialog)
const memberSheet = lazyPart(async () => (await import('./member-sheet.tsx')).MemberSheet)

interface MembersProps {
  readonly organization: Pick<Organization, 'role' | 'member_id'>
}

/** The members of the organisation, and who is invited. */
export function Members({ organization }: MembersProps) {
  const t = useScreenText()
  const pages = usePages()
  const [keyword, setKeyword] = useState('')
  const query = useQuery(membersQuery(keyword.trim(), pages.page, pages.size))
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<Made>()
  const [editedId, setEdited] = useState<number>()
  const columns = useMemberColumns(query.data?.items)
  const isOwner = organization.role === 'owner'
  const edited = query.data?.items.find(({ id }) => id === editedId)
  const search = (text: string) => {
    pages.setPage(1)
    setKeyword(text)
  }
  const showAdded = (invitations: readonly Invitation[]) => {
    setAdding(false)
    setMade({ title: t('madeTitle', { count: invitations.length }), invitations })
  }
  return (
    <>
      <ListSection
        label={t('members')}
        heading={<MembersHeading keyword={keyword} onKeyword={search} onAdd={() => setAdding(true)} />}
        pages={pages}
        query={query}
        columns={columns}
        rowId={({ id }) => String(id)}
        rowName={({ name }) => name}
        card={{
          title: member => <MemberName member={member} />,
          status: member => <MemberStatus member={member} />,
          facts: member =>
            columns
              .filter(({ id }) => id !== 'name' && id !== 'status')
              .map(({ header, cell }) => ({ label: header, value: cell(member) })),
        }}
        actions={member => (
          <MemberActions
            member={member}
            organization={organization}
            onEdit={() => setEdited(member.id)}
            onMade={setMade}
          />
        )}
        empty={<p className="py-6 text-center text-muted">{t('noneFound')}</p>}
      />
      <Suspense fallback={null}>
        {isAdding && (
          <addDialog.Part isOwner={isOwner} onClose={() => setAdding(false)} onAdded={showAdded} />
        )}
        {made && <madeDialog.Part made={made} onClose={() => setMade(undefined)} />}
        {edited && (
          <memberSheet.Part member={edited} isOwner={isOwner} onClose={() => setEdited(undefined)} />
        )}
      </Suspense>
    </>
  )
}

interface MembersHeadingProps {
  readonly keyword: string
  readonly onKeyword: (keyword: string) => void
  readonly onAdd: () => void
}

function MembersHeading({ keyword, onKeyword, onAdd }: MembersHeadingProps) {
  const t = useScreenText()
  return (
    <div className="flex flex-wrap items-center gap-3">
      <h2 className="mr-auto text-section font-semibold">{t('members')}</h2>
      <span className="w-full sm:w-60">
        <TextInput
          type="search"
          aria-label={t('search')}
          placeholder={t('search')}
          value={keyword}
          onChange={event => onKeyword(event.target.value)}
        />
      </span>
      <Button
        variant="primary"
        icon={UserPlus}
        onPointerEnter={addDialog.preload}
        onFocus={addDialog.preload}
        onClick={onAdd}
      >
        {t('invite')}
      </Button>
    </div>
  )
}

interface MemberProps {
  readonly member: Member
}

function MemberName({ member: { name, username, email } }: MemberProps) {
  const below = username || email
  return (
    <span className="grid max-w-56">
      <span className="truncate font-medium">{name}</span>
      {below !== '' && below !== name && <span className="truncate text-caption text-muted">{below}</span>}
    </span>
  )
}

function MemberStatus({ member: { status, invited_time } }: MemberProps) {
  const t = useScreenText()
  const isExpired = status === 'invited' && invited_time < nowSeconds()
  return (
    <StatusBadge tone={status === 'active' ? 'success' : isExpired ? 'warning' : 'neutral'}>
      {t(isExpired ? 'status_expired' : `status_${status}`)}
    </StatusBadge>
  )
}

function useMemberColumns(members: readonly Member[] | undefined): ReadonlyArray<Column<Member>> {
  const t = useScreenText()
  const capCell = useCapCell('member', members)
  const o = useOrganizationText()
  return useMemo(
    () => [
      { id: 'name', header: t('name'), isFixed: true, cell: member => <MemberName member={member} /> },
      { id: 'role', header: t('role'), cell: ({ role }) => o(`role_${role}`) },
      {
        id: 'status',
        header: t('status'),
        width: STATUS_WIDTH,
        cell: member => <MemberStatus member={member} />,
      },
      { id: 'cap', header: t('cap'), cell: capCell },
      { id: 'tokens', header: t('tokens'), align: 'end', cell: ({ tokens }) => tokens },
      {
        id: 'joined',
        header: t('joined'),
        cell: ({ joined_time }) => (joined_time > 0 ? <TimeText unixSeconds={joined_time} /> : '-'),
      },
    ],
    [t, o, capCell],
  )
}
