import { useMemo } from 'react'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, USERNAME_LENGTH_MAX } from '#contract/users.ts'
import { PasswordFormField, TextFormField } from '../../app/form-fields.tsx'
import { SheetForm } from '../../app/sheet-form.tsx'
import { useRecordForm } from '../../app/use-record-form.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { usePlace } from './place.ts'
import { useUserWrites } from './queries.ts'
import { text } from './text.ts'
import { draftOf, NEW_USER, UserFormValues, userFormSchema, withoutPassword } from './user-form-values.ts'

const DRAFT = { name: 'user-new', schema: UserFormValues, withoutSecrets: withoutPassword }

/** The form of a new user. */
export function UserMaker() {
  const t = useText(text)
  const place = usePlace()
  const { create } = useUserWrites()
  const schema = useMemo(() => userFormSchema(t, { isNew: true, seen: NEW_USER.quota }), [t])
  const form = useRecordForm({ schema, start: NEW_USER, draft: DRAFT })
  const send = async (values: UserFormValues) => {
    await create.mutateAsync(draftOf(values))
    toast('success', t('createdToast'))
    place.close(true)
  }
  return (
    <SheetForm
      form={form}
      fields={[
        { name: 'username', label: t('username') },
        { name: 'displayName', label: t('displayName') },
        { name: 'password', label: t('password') },
      ]}
      draft={DRAFT}
      title={t('createTitle')}
      action={t('submitCreate')}
      send={send}
      onClose={() => place.close()}
    >
      <div className="grid gap-5">
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
          help={t('passwordHelp', { least: PASSWORD_LENGTH_MIN, most: PASSWORD_LENGTH_MAX })}
          isRequired
        />
      </div>
    </SheetForm>
  )
}
