import { useQuery } from '@tanstack/react-query'
import { PlusCircle, UserX } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { Controller, useFormContext, useWatch } from 'react-hook-form'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatNumber, MoneyText } from '#console/app/format/format.tsx'
import { PasswordFormField, QuotaFormField, TextFormField } from '#console/app/forms/form-fields.tsx'
import { useRecordForm } from '#console/app/forms/record-form.ts'
import { SheetForm } from '#console/app/forms/sheet-form.tsx'
import { usePreviousNext } from '#console/app/list/previous-next.ts'
import { ScreenLink } from '#console/app/list/record-link.tsx'
import { useUser } from '#console/app/session/session.ts'
import { SheetSections } from '#console/app/sheet-sections.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Combobox } from '#console/ui/forms/combobox.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'
import { Sheet, SheetSection } from '#console/ui/overlays/sheet.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, type User } from '#contract/entities/user.ts'
import { USERNAME_LENGTH_MAX } from '#contract/entities/user-fields.ts'
import { useUserActions } from './actions.tsx'
import { Bindings } from './bindings.tsx'
import {
  NEW_USER,
  toFormValues,
  toUserChange,
  toUserDraft,
  UserFormValues,
  userFormSchema,
  withoutPassword,
} from './form-schema.ts'
import { groupsQuery, userQuery, useUserMutations } from './queries.ts'
import { type OpenSheet, useSheetNavigation } from './search-params.ts'
import { InvitationsCell, NameCell, RoleCell, StatusCell } from './table.tsx'
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

/** A user and the page of the list that it is on. */
interface UserRecordProps {
  readonly user: User
  readonly rows: readonly User[]
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
      title={`${user.username} #${user.id}`}
      status={
        <>
          <StatusCell user={user} />
          <UserPageLink id={user.id} />
        </>
      }
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

const UserPageLink = ({ id }: { readonly id: number }) => (
  <ScreenLink screen="/user" to={`/user/${id}`} className="text-small text-accent">
    {useScreenText()('openPage')}
  </ScreenLink>
)

/** The form of an existing user. */
function EditUserForm({ user, rows }: UserRecordProps) {
  const t = useScreenText()
  const navigation = useSheetNavigation()
  const { update } = useUserMutations()
  const { confirmAndRun, actionsFor } = useUserActions()
  const previousNext = usePreviousNext(rows, user.id, navigation.switchTo)
  const schema = useMemo(
    () => userFormSchema(t, { isNew: false, initialQuota: String(user.quota) }),
    [t, user.quota],
  )
  const draft = { name: `user-${user.id}`, schema: UserFormValues, withoutSecrets: withoutPassword }
  const form = useRecordForm({ schema, start: toFormValues(user), draft })

  const send = async (values: UserFormValues) => {
    await update.mutateAsync(toUserChange(user, values))
    toast('success', t('updatedToast'))
    navigation.close(true)
  }
  const remove = async () => {
    if (await confirmAndRun(user, 'delete')) navigation.close(true)
  }

  return (
    <SheetForm
      form={form}
      fields={[
        { name: 'username', label: t('username') },
        { name: 'display_name', label: t('display_name') },
        { name: 'password', label: t('password') },
        { name: 'quota', label: t('balance') },
        { name: 'reason', label: t('reason') },
      ]}
      draft={draft}
      title={`${user.username} #${user.id}`}
      status={
        <>
          <StatusCell user={user} />
          <UserPageLink id={user.id} />
        </>
      }
      previousNext={previousNext}
      action={t('submitEdit')}
      aside={
        actionsFor(user).includes('delete') && (
          <Button variant="danger-text" icon={UserX} className="mr-auto" onClick={() => void remove()}>
            {t('delete')}
          </Button>
        )
      }
      onSave={send}
      onClose={() => navigation.close()}
    >
      <SheetSection title={t('sectionAccount')}>
        <TextFormField
          name="username"
          label={t('username')}
          help={t('usernameHelp', { most: USERNAME_LENGTH_MAX })}
          isRequired
        />
        <TextFormField name="display_name" label={t('display_name')} />
        <PasswordFormField
          name="password"
          label={t('password')}
          help={t('passwordKeep')}
          placeholder={t('passwordHelp', { least: PASSWORD_LENGTH_MIN, most: PASSWORD_LENGTH_MAX })}
        />
        <GroupField />
      </SheetSection>
      <SheetSection title={t('sectionBalance')}>
        <BalanceFields user={user} />
      </SheetSection>
      <SheetSection title={t('sectionBindings')}>
        <Bindings user={user} />
      </SheetSection>
      <SheetSections of="user" id={user.id} />
    </SheetForm>
  )
}

/** The group of a user. A group that no longer exists stays selectable until another is chosen. */
function GroupField() {
  const t = useScreenText()
  const { control: form } = useFormContext<UserFormValues>()
  const { data: groups = [] } = useQuery(groupsQuery)
  return (
    <Controller
      control={form}
      name="group"
      render={({ field }) => (
        <Field name="group" label={t('group')} help={t('groupHelp')}>
          {control => (
            <Combobox
              {...control}
              options={[...new Set([...groups, field.value])].map(value => ({ value, label: value }))}
              value={field.value}
              onChange={field.onChange}
              onBlur={field.onBlur}
            />
          )}
        </Field>
      )}
    />
  )
}

const quotaDialog = lazyPart(async () => (await import('./quota-dialog.tsx')).QuotaDialog)

/** The balance as a number, with a dialog to add or subtract an amount. A changed balance asks for a reason. */
function BalanceFields({ user }: { readonly user: User }) {
  const t = useScreenText()
  const { setValue } = useFormContext<UserFormValues>()
  const quota = useWatch<UserFormValues, 'quota'>({ name: 'quota' })
  const [isAdding, setAdding] = useState(false)
  const setQuota = (next: number) => {
    setValue('quota', String(next), { shouldDirty: true, shouldValidate: true })
    setAdding(false)
  }
  return (
    <>
      <div className="grid gap-2">
        <QuotaFormField name="quota" label={t('balance')} help={t('quotaHelp')} />
        <Button
          size="small"
          icon={PlusCircle}
          className="justify-self-start"
          onPointerEnter={quotaDialog.preload}
          onFocus={quotaDialog.preload}
          onClick={() => setAdding(true)}
        >
          {t('addQuota')}
        </Button>
      </div>
      {quota !== String(user.quota) && (
        <TextFormField
          name="reason"
          label={t('reason')}
          help={t('reasonHelp')}
          placeholder={t('reasonPlaceholder')}
        />
      )}
      <Suspense fallback={null}>
        {isAdding && (
          <quotaDialog.Part
            name={user.username}
            balance={/^\d+$/.test(quota.trim()) ? Number(quota) : user.quota}
            onAdd={setQuota}
            onClose={() => setAdding(false)}
          />
        )}
      </Suspense>
    </>
  )
}

const DRAFT = { name: 'user-new', schema: UserFormValues, withoutSecrets: withoutPassword }

/** The form of a new user. */
function CreateUserForm() {
  const t = useScreenText()
  const navigation = useSheetNavigation()
  const { create } = useUserMutations()
  const schema = useMemo(() => userFormSchema(t, { isNew: true, initialQuota: NEW_USER.quota }), [t])
  const form = useRecordForm({ schema, start: NEW_USER, draft: DRAFT })
  const send = async (values: UserFormValues) => {
    await create.mutateAsync(toUserDraft(values))
    toast('success', t('createdToast'))
    navigation.close(true)
  }
  return (
    <SheetForm
      form={form}
      fields={[
        { name: 'username', label: t('username') },
        { name: 'display_name', label: t('display_name') },
        { name: 'password', label: t('password') },
      ]}
      draft={DRAFT}
      title={t('createTitle')}
      action={t('submitCreate')}
      onSave={send}
      onClose={() => navigation.close()}
    >
      <div className="grid gap-5">
        <TextFormField
          name="username"
          label={t('username')}
          help={t('usernameHelp', { most: USERNAME_LENGTH_MAX })}
          isRequired
        />
        <TextFormField name="display_name" label={t('display_name')} />
        <PasswordFormField
          name="password"
          label={t('password')}
          help={t('passwordHelp', { least: PASSWORD_LENGTH_MIN, most: PASSWORD_LENGTH_MAX })}
          isRequired
        />
      </div>
    </SheetForm>
  )
}
