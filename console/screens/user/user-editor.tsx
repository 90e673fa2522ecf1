import { UserX } from 'lucide-react'
import { useMemo } from 'react'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, USERNAME_LENGTH_MAX } from '#contract/users.ts'
import { PasswordFormField, TextFormField } from '../../app/form-fields.tsx'
import { useNeighbours } from '../../app/neighbours.ts'
import { SheetForm } from '../../app/sheet-form.tsx'
import { useRecordForm } from '../../app/use-record-form.ts'
import { Button } from '../../ui/button.tsx'
import { SheetSection } from '../../ui/sheet-section.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { BalanceFields } from './balance-fields.tsx'
import { Bindings } from './bindings.tsx'
import { GroupField } from './group-field.tsx'
import { usePlace } from './place.ts'
import { useUserWrites } from './queries.ts'
import type { UserSheetProps } from './sheet-props.ts'
import { text } from './text.ts'
import { useUserActions } from './use-user-actions.tsx'
import { StandingCell } from './user-cells.tsx'
import { changeOf, UserFormValues, userFormSchema, valuesOf, withoutPassword } from './user-form-values.ts'

/** The form of a stored user. */
export function UserEditor({ user, rows }: UserSheetProps) {
  const t = useText(text)
  const place = usePlace()
  const { update } = useUserWrites()
  const { ask, actionsOf } = useUserActions()
  const neighbours = useNeighbours(rows, user.id, place.turnTo)
  const schema = useMemo(() => userFormSchema(t, { isNew: false, seen: String(user.quota) }), [t, user.quota])
  const draft = { name: `user-${user.id}`, schema: UserFormValues, withoutSecrets: withoutPassword }
  const form = useRecordForm({ schema, start: valuesOf(user), draft })

  const send = async (values: UserFormValues) => {
    await update.mutateAsync(changeOf(user, values))
    toast('success', t('updatedToast'))
    place.close(true)
  }
  const remove = async () => {
    if (await ask(user, 'delete')) place.close(true)
  }

  return (
    <SheetForm
      form={form}
      fields={[
        { name: 'username', label: t('username') },
        { name: 'displayName', label: t('displayName') },
        { name: 'password', label: t('password') },
        { name: 'quota', label: t('balance') },
        { name: 'reason', label: t('reason') },
      ]}
      draft={draft}
      title={`${t('editTitle')} #${user.id}`}
      status={<StandingCell user={user} />}
      neighbours={neighbours}
      action={t('submitEdit')}
      aside={
        actionsOf(user).includes('delete') && (
          <Button look="danger-text" icon={UserX} className="mr-auto" onClick={() => void remove()}>
            {t('delete')}
          </Button>
        )
      }
      send={send}
      onClose={() => place.close()}
    >
      <SheetSection title={t('sectionAccount')}>
        <TextFormField
          name="username"
          label={t('username')}
          help={t('usernameHelp', { most: USERNAME_LENGTH_MAX })}
          isRequired
        />
        <TextFormField name="displayName" label={t('displayName')} />
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
    </SheetForm>
  )
}
