import { type FormEvent, useId, useState } from 'react'
import { SelfChange, type User } from '#contract/accounts/users.ts'
import { CallError, plainErrorText } from '../../../app/api/call.ts'
import { issueText } from '../../../app/forms/record-form.ts'
import { rememberUser } from '../../../app/session/session.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Field, PasswordInput, TextInput } from '../../../ui/forms/field.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { useKitText } from '../../../ui/text/kit-text.ts'
import { useText } from '../../../ui/text/text.ts'
import { useSelfWrites } from './queries.ts'
import { personalText } from './text.ts'

const CONFIRM_PASSWORD_CODE = 'user.confirm_password'

interface ProfileDialogProps {
  readonly self: User
  readonly onClose: () => void
}

/** The own name and display name. The server may ask for the password. */
export function ProfileDialog({ self, onClose }: ProfileDialogProps) {
  const t = useText(personalText)
  const k = useKitText()
  const form = useId()
  const { change } = useSelfWrites()
  const [username, setUsername] = useState(self.username)
  const [displayName, setDisplayName] = useState(self.display_name)
  const [password, setPassword] = useState('')
  const [isAsked, setAsked] = useState(false)
  const [problem, setProblem] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (username.trim() === '') return setProblem(t('usernameNeeded'))
    const wanted = SelfChange.safeParse({
      username,
      display_name: displayName,
      ...(password === '' ? {} : { original_password: password }),
    })
    const [issue] = wanted.error?.issues ?? []
    if (!wanted.success) return setProblem(issue && issueText(issue))
    try {
      await change.mutateAsync(wanted.data)
      rememberUser({ ...self, username: username.trim(), display_name: displayName.trim() })
      toast('success', t('profileSaved'))
      onClose()
    } catch (error) {
      setAsked(isAsked || (error instanceof CallError && error.code === CONFIRM_PASSWORD_CODE))
      setProblem(plainErrorText(error))
    }
  }
  return (
    <Dialog
      title={t('editProfile')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button type="submit" form={form} look="primary" isBusy={change.isPending}>
            {k('save')}
          </Button>
        </>
      }
    >
      <form id={form} noValidate className="grid gap-5" onSubmit={event => void submit(event)}>
        <Field label={t('username')} error={problem} isRequired>
          {control => (
            <TextInput {...control} value={username} onChange={event => setUsername(event.target.value)} />
          )}
        </Field>
        <Field label={t('displayName')}>
          {control => (
            <TextInput
              {...control}
              value={displayName}
              onChange={event => setDisplayName(event.target.value)}
            />
          )}
        </Field>
        {isAsked && (
          <Field label={t('currentPassword')} help={t('currentHelp')}>
            {control => (
              <PasswordInput
                {...control}
                autoComplete="current-password"
                value={password}
                onChange={event => setPassword(event.target.value)}
              />
            )}
          </Field>
        )}
      </form>
    </Dialog>
  )
}
