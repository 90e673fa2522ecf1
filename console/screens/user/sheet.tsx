import { useQuery } from '@tanstack/react-query'
import type { User } from '#contract/accounts/users.ts'
import { LoadError } from '../../app/api/load-error.tsx'
import { formatNumber, MoneyText } from '../../app/format/format.tsx'
import { usePreviousNext } from '../../app/list/previous-next.ts'
import { useUser } from '../../app/session/session.ts'
import { KeyValues } from '../../ui/data/facts.tsx'
import { Banner, Skeleton } from '../../ui/feedback/feedback.tsx'
import { Sheet, SheetSection } from '../../ui/overlays/sheet.tsx'
import { useLanguage } from '../../ui/text/text.ts'
import { Bindings } from './bindings.tsx'
import { InvitationsCell, NameCell, RoleCell, StatusCell } from './columns.tsx'
import { CreateUserForm, EditUserForm, type UserRecordProps } from './form.tsx'
import { userQuery } from './queries.ts'
import { type OpenSheet, useSheetNavigation } from './search-params.ts'
import { useScreenText } from './text.ts'
import { canEdit, isDeregistered } from './user.ts'

interface UserSheetProps {
  readonly open: OpenSheet
  readonly rows: readonly User[]
}

/** The sheet that the path opens: a new user, or an existing one, editable or read-only. */
export function UserSheet({ open, rows }: UserSheetProps) {
  return open.mode === 'add' ? <CreateUserForm /> : <ExistingUser key={open.id} id={open.id} rows={rows} />
}

function ExistingUser({ id, rows }: { readonly id: number; readonly rows: readonly User[] }) {
  const t = useScreenText()
  const navigation = useSheetNavigation()
  const self = useUser()
  const listed = rows.find(user => user.id === id)
  const fetched = useQuery({ ...userQuery(id), enabled: !listed })
  const user = listed ?? fetched.data
  if (user && self && canEdit(self, user)) return <EditUserForm user={user} rows={rows} />
  if (user) return <UserDetails user={user} rows={rows} />
  return (
    <Sheet title={t('viewTitle')} onClose={() => navigation.close()}>
      {fetched.error ? (
        <LoadError error={fetched.error} isBusy={fetched.isFetching} onRetry={() => void fetched.refetch()} />
      ) : (
        <div className="grid gap-6">
          {['username', 'group', 'quota'].map(field => (
            <Skeleton key={field} className="h-9 w-full" />
          ))}
        </div>
      )}
    </Sheet>
  )
}

/** A user that the current user can view but not edit. */
function UserDetails({ user, rows }: UserRecordProps) {
  const t = useScreenText()
  const language = useLanguage()
  const navigation = useSheetNavigation()
  const self = useUser()
  const previousNext = usePreviousNext(rows, user.id, navigation.switchTo)
  return (
    <Sheet
      title={`${t('viewTitle')} #${user.id}`}
      status={<StatusCell user={user} />}
      previousNext={previousNext}
      onClose={() => navigation.close()}
    >
      <SheetSection title={t('sectionAccount')}>
        <Banner tone="info">
          {t(isDeregistered(user) ? 'viewGone' : self?.id === user.id ? 'viewSelf' : 'viewRank')}
        </Banner>
        <KeyValues
          items={[
            { label: t('username'), value: <NameCell user={user} /> },
            { label: t('group'), value: user.group },
            { label: t('role'), value: <RoleCell user={user} /> },
            { label: t('balance'), value: <MoneyText quota={user.quota} /> },
            { label: t('used'), value: <MoneyText quota={user.used_quota} /> },
            { label: t('requests'), value: formatNumber(user.request_count, language) },
            { label: t('invitations'), value: <InvitationsCell user={user} /> },
          ]}
        />
      </SheetSection>
      <SheetSection title={t('sectionBindings')}>
        <Bindings user={user} />
      </SheetSection>
    </Sheet>
  )
}
